// SPDX-License-Identifier: Apache-2.0
#include "base/checked_math.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(CheckedMathTest, GivesTheResultUpToTheLimitAndNothingPastIt) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(CheckedMultiply<int64_t>(kMax / 2, 2), kMax - 1);
  EXPECT_EQ(CheckedMultiply<int64_t>(kMax / 2 + 1, 2), std::nullopt);
  EXPECT_EQ(CheckedAdd<int64_t>(kMax - 1, 1), kMax);
  EXPECT_EQ(CheckedAdd<int64_t>(kMax, 1), std::nullopt);
  EXPECT_EQ(CheckedMultiply<size_t>(size_t{1} << 32, size_t{1} << 32), std::nullopt);
}

}  // namespace
}  // namespace waystone
