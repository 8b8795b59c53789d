// SPDX-License-Identifier: Apache-2.0
//
// What scenarios cannot show of the scheduler.
#include "scheduler/scheduler.h"

#include <gtest/gtest.h>

namespace waystone {
namespace {

using std::chrono::milliseconds;

TEST(SchedulerTest, TellsOnlySoManyShapesApart) {
  MetricRegistry metrics;
  const FakeClock clock;
  Scheduler scheduler({1, {}}, metrics, clock);
  const ModelId model = scheduler.AddModel({}, nullptr);
  for (uint64_t shape = 0; shape < 1000; ++shape) scheduler.Learn(model, shape, false, 1, milliseconds(5));
  ASSERT_EQ(scheduler.View().size(), 1u);
  EXPECT_EQ(scheduler.View()[0].narrow.size(), 256u);
}

}  // namespace
}  // namespace waystone
