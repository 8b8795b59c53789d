// SPDX-License-Identifier: Apache-2.0
#include "base/ordered_work.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(OrderedWorkTest, DeliversEveryResultInTheOrderOfTheJobs) {
  std::vector<size_t> delivered;
  OrderedWork<size_t>::Run(
      500, 4, 8, [](size_t job, size_t) { return job * job; },
      [&delivered](size_t job, size_t result) {
        EXPECT_EQ(result, job * job);
        delivered.push_back(job);
        return true;
      });
  ASSERT_EQ(delivered.size(), 500u);
  for (size_t i = 0; i < delivered.size(); ++i) EXPECT_EQ(delivered[i], i);
}

TEST(OrderedWorkTest, NeverRunsFurtherAheadThanItsWindow) {
  std::atomic<size_t> delivered{0};
  std::atomic<size_t> furthest{0};
  OrderedWork<int>::Run(
      200, 3, 5,
      [&](size_t job, size_t) {
        // delivered may have moved on since the job was handed out, so this is an upper bound of the lead.
        const size_t lead = job - std::min(job, delivered.load());
        size_t seen = furthest.load();
        while (lead > seen && !furthest.compare_exchange_weak(seen, lead)) {
        }
        return 0;
      },
      [&delivered](size_t, int) {
        ++delivered;
        return true;
      });
  EXPECT_LE(furthest.load(), 5u);
}

TEST(OrderedWorkTest, StopsWhenTheReceiverHasEnough) {
  std::atomic<size_t> run{0};
  OrderedWork<int>::Run(
      1000, 2, 4,
      [&run](size_t, size_t) {
        ++run;
        return 0;
      },
      [](size_t job, int) { return job < 9; });
  EXPECT_GE(run.load(), 10u);
  EXPECT_LE(run.load(), 10u + 4u);
}

}  // namespace
}  // namespace waystone
