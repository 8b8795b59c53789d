// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(CheckTest, LetsPassWhatHolds) {
  int evaluated = 0;
  WAYSTONE_CHECK(++evaluated == 1, "holds");
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, SaysWhatFailedAndWhereAndEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const int width = 3;
  EXPECT_DEATH(WAYSTONE_CHECK(width == 4, "widths agree"),
               "CHECK failed: width == 4 \\(widths agree\\) at .*check_test\\.cc:[0-9]+");
}

}  // namespace
}  // namespace waystone
