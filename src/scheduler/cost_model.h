// SPDX-License-Identifier: Apache-2.0
//
// How long a run takes, learned while running: t(n) = a * n + b for n rows of one shape on one kind of
// instance. Every size that was seen keeps its own running mean, so a size is predicted by itself where
// possible and by the line through the others where not. Robust: a sample far above the mean moves it little
// unless others follow, since one page fault or one stolen time slice says nothing of the model. Warm-up
// seeds it. Thread-compatible.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/clock.h"

namespace waystone {

class CostModel {
 public:
  // `rows` is at least 1, `took` at least 0.
  void Observe(int64_t rows, Duration took);

  bool known() const { return !sizes_.empty(); }
  // What is known may be out of date: the next sample of a size takes its place.
  void Doubt();
  // The expected time of a run of `rows`; zero where nothing is known yet.
  Duration Mean(int64_t rows) const;
  // A time that most runs of `rows` stay below: the mean and the usual deviation from it.
  Duration Usual(int64_t rows) const;
  // The line: time a row, and time a run whatever its rows.
  struct Line {
    double a_ns = 0;
    double b_ns = 0;
  };
  Line line() const;

 private:
  struct Size {
    double mean_ns = 0;
    double deviation_ns = 0;  // mean absolute
    int64_t samples = 0;
  };
  std::map<int64_t, Size> sizes_;  // by rows
};

}  // namespace waystone
