// SPDX-License-Identifier: Apache-2.0
#include "base/deadline.h"

#include <gtest/gtest.h>

namespace waystone {
namespace {

using std::chrono::milliseconds;

TEST(DeadlineTest, PassesExactlyAtItsPoint) {
  FakeClock clock;
  const Deadline deadline = Deadline::After(clock.Now(), milliseconds(10));
  EXPECT_FALSE(deadline.HasPassed(clock.Now()));
  EXPECT_EQ(deadline.Left(clock.Now()), milliseconds(10));
  clock.Advance(milliseconds(10) - Duration(1));
  EXPECT_FALSE(deadline.HasPassed(clock.Now()));
  clock.Advance(Duration(1));
  EXPECT_TRUE(deadline.HasPassed(clock.Now()));
  EXPECT_EQ(deadline.Left(clock.Now()), Duration::zero());
}

TEST(DeadlineTest, NeverDoesNotPassAndComesAfterAll) {
  FakeClock clock;
  EXPECT_FALSE(Deadline::Never().HasPassed(clock.Now()));
  EXPECT_LT(Deadline::At(clock.Now()), Deadline::Never());
  EXPECT_EQ(Deadline::Never().Left(clock.Now()), Duration::max());
}

TEST(DeadlineTest, OverflowBecomesNeverAndNegativeHasPassed) {
  FakeClock clock;
  EXPECT_TRUE(Deadline::After(clock.Now(), Duration::max()).is_never());
  EXPECT_TRUE(Deadline::After(clock.Now(), milliseconds(-1)).HasPassed(clock.Now()));
}

}  // namespace
}  // namespace waystone
