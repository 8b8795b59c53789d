// SPDX-License-Identifier: Apache-2.0
#include "grpc/call_context.h"

#include <chrono>

#include <gtest/gtest.h>

namespace waystone {
namespace {

using std::chrono::seconds;

gpr_timespec InSeconds(int64_t count, gpr_clock_type clock) {
  return gpr_time_add(gpr_now(clock), gpr_time_from_seconds(count, GPR_TIMESPAN));
}

TEST(CallContextTest, DeadlinesOfEveryClockAreOnTheSteadyOne) {
  const TimePoint now = SteadyClock().Now();
  for (const gpr_clock_type clock : {GPR_CLOCK_MONOTONIC, GPR_CLOCK_REALTIME}) {
    const Deadline deadline = SteadyDeadline(InSeconds(100, clock), now);
    EXPECT_GT(deadline.Left(now), seconds(90));
    EXPECT_LE(deadline.Left(now), seconds(101));
  }
}

TEST(CallContextTest, FarDeadlinesAreNever) {
  const TimePoint now = SteadyClock().Now();
  EXPECT_TRUE(SteadyDeadline(gpr_inf_future(GPR_CLOCK_REALTIME), now).is_never());
  EXPECT_TRUE(SteadyDeadline(gpr_inf_future(GPR_CLOCK_MONOTONIC), now).is_never());
  EXPECT_TRUE(SteadyDeadline(InSeconds(int64_t{400} * 365 * 24 * 3600, GPR_CLOCK_MONOTONIC), now).is_never());
  EXPECT_FALSE(SteadyDeadline(InSeconds(int64_t{9} * 365 * 24 * 3600, GPR_CLOCK_MONOTONIC), now).is_never());
}

TEST(CallContextTest, PastDeadlinesHavePassed) {
  const TimePoint now = SteadyClock().Now();
  EXPECT_TRUE(SteadyDeadline(InSeconds(-5, GPR_CLOCK_MONOTONIC), now).HasPassed(now));
  EXPECT_TRUE(SteadyDeadline(gpr_inf_past(GPR_CLOCK_MONOTONIC), now).HasPassed(now));
}

}  // namespace
}  // namespace waystone
