// SPDX-License-Identifier: Apache-2.0
//
// How many rows to run at once, as a pure function. A batch is formed only when an instance is idle and never
// waits for company. More rows are taken only while that raises rows per second by what the cost model says,
// while the earliest deadline among them stays safe, and while no other idle instance would be left without
// work. Sizes the engine does not run are padded up to the next that it does. Thread-safe (no state).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"

namespace waystone {

struct BatchSizes {
  int64_t max_rows = 1;
  std::vector<int64_t> allowed;    // ascending, what the engine runs; empty: every size up to max_rows
  std::vector<int64_t> preferred;  // ascending; counts where there are rows enough for one of them
};

// The size that a batch of `rows` runs at: the least allowed one that holds it; `rows` itself where all are
// allowed, and 0 where none is large enough.
int64_t RunRows(const BatchSizes& sizes, int64_t rows);

struct BatchChoice {
  int64_t waiting_rows = 1;  // of the head's shape, the head's included
  int64_t head_rows = 1;
  int idle_instances = 1;                      // this one included
  Duration left = Duration::max();             // to the head's deadline
  std::function<Duration(int64_t rows)> cost;  // of a run of that many rows, as it runs
};

// The most rows a batch may have, at least the head's.
int64_t ChooseRows(const BatchSizes& sizes, const BatchChoice& choice);

}  // namespace waystone
