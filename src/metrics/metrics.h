// SPDX-License-Identifier: Apache-2.0
//
// Counter, gauge and histogram. Incrementing takes no lock: each metric is split into cells a cache line
// apart and a thread always uses the same one, so threads do not disturb each other; reading adds the cells
// up. Thread-safe. Summaries (quantiles in the process) are left out on purpose: they cannot be added across
// replicas.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace waystone {

inline constexpr size_t kMetricCells = 16;
// The cell of the calling thread, below kMetricCells.
size_t MetricCell();

// Only goes up.
class Counter {
 public:
  void Increment(uint64_t by = 1) { cells_[MetricCell()].value.fetch_add(by, std::memory_order_relaxed); }
  uint64_t value() const;

 private:
  struct alignas(64) Cell {
    std::atomic<uint64_t> value{0};
  };
  std::array<Cell, kMetricCells> cells_;
};

// A value that goes both ways.
class Gauge {
 public:
  void Set(double value) { value_.store(value, std::memory_order_relaxed); }
  void Add(double by);
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

// Counts observations by upper bound. Bounds are increasing; the last bucket (+Inf) is added.
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);

  // NaN is left out: it belongs to no bucket and would spoil the sum.
  void Observe(double value);

  struct Snapshot {
    std::vector<double> bounds;
    std::vector<uint64_t> counts;  // of each bucket, not cumulative; one more than bounds
    double sum = 0;
    uint64_t count = 0;
  };
  Snapshot snapshot() const;

  // 1-2.5-5 steps from 0.25 ms to 10 s, in seconds: fits what a frame's stages take.
  static std::vector<double> LatencyBounds();

 private:
  struct alignas(64) Cell {
    std::unique_ptr<std::atomic<uint64_t>[]> counts;
    std::atomic<double> sum{0};
  };
  const std::vector<double> bounds_;
  std::array<Cell, kMetricCells> cells_;
};

}  // namespace waystone
