// SPDX-License-Identifier: Apache-2.0
#include "metrics/metrics.h"

#include <cmath>
#include <thread>

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(CounterTest, AddsUpWhatAllThreadsCounted) {
  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&counter] {
      for (int j = 0; j < 1000; ++j) counter.Increment();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter.value(), 20'000u);
}

TEST(GaugeTest, GoesBothWays) {
  Gauge gauge;
  gauge.Set(2);
  gauge.Add(-3.5);
  EXPECT_EQ(gauge.value(), -1.5);
}

TEST(HistogramTest, AnObservationFallsIntoTheBucketOfTheFirstBoundNotBelowIt) {
  Histogram histogram({1, 2});
  for (const double value : {0.5, 1.0, 1.5, 2.0, 2.5}) histogram.Observe(value);
  histogram.Observe(std::nan(""));
  const Histogram::Snapshot snapshot = histogram.snapshot();
  EXPECT_EQ(snapshot.counts, (std::vector<uint64_t>{2, 2, 1}));
  EXPECT_EQ(snapshot.count, 5u);
  EXPECT_DOUBLE_EQ(snapshot.sum, 7.5);
}

}  // namespace
}  // namespace waystone
