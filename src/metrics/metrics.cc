// SPDX-License-Identifier: Apache-2.0
#include "metrics/metrics.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace waystone {

size_t MetricCell() {
  static std::atomic<size_t> next{0};
  thread_local size_t cell = next.fetch_add(1, std::memory_order_relaxed) % kMetricCells;
  return cell;
}

uint64_t Counter::value() const {
  uint64_t sum = 0;
  for (const Cell& cell : cells_) sum += cell.value.load(std::memory_order_relaxed);
  return sum;
}

void Gauge::Add(double by) {
  double seen = value_.load(std::memory_order_relaxed);
  while (!value_.compare_exchange_weak(seen, seen + by, std::memory_order_relaxed)) {
  }
}

Histogram::Histogram(std::vector<double> bounds) : bounds_(std::move(bounds)) {
  WAYSTONE_CHECK(!bounds_.empty() && std::is_sorted(bounds_.begin(), bounds_.end()), "bounds must increase");
  for (Cell& cell : cells_) cell.counts = std::make_unique<std::atomic<uint64_t>[]>(bounds_.size() + 1);
}

void Histogram::Observe(double value) {
  if (std::isnan(value)) return;
  const size_t bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  Cell& cell = cells_[MetricCell()];
  cell.counts[bucket].fetch_add(1, std::memory_order_relaxed);
  double seen = cell.sum.load(std::memory_order_relaxed);
  while (!cell.sum.compare_exchange_weak(seen, seen + value, std::memory_order_relaxed)) {
  }
}

Histogram::Snapshot Histogram::snapshot() const {
  Snapshot total;
  total.bounds = bounds_;
  total.counts.assign(bounds_.size() + 1, 0);
  for (const Cell& cell : cells_) {
    for (size_t i = 0; i < total.counts.size(); ++i) {
      total.counts[i] += cell.counts[i].load(std::memory_order_relaxed);
    }
    total.sum += cell.sum.load(std::memory_order_relaxed);
  }
  for (const uint64_t count : total.counts) total.count += count;
  return total;
}

std::vector<double> Histogram::LatencyBounds() {
  return {0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
}

}  // namespace waystone
