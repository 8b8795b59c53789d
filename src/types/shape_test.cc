// SPDX-License-Identifier: Apache-2.0
#include "types/shape.h"

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(ShapeTest, CountsElementsAndRefusesOverflow) {
  EXPECT_EQ(Shape({1, 3, 416, 416}).ElementCount(), 519168);
  EXPECT_EQ(Shape().ElementCount(), 1);
  EXPECT_EQ(Shape({5, 0}).ElementCount(), 0);
  EXPECT_EQ(Shape({1, kDynamicDim}).ElementCount(), std::nullopt);
  EXPECT_EQ(Shape({int64_t{1} << 4, (int64_t{1} << 60) + 2}).ElementCount(), std::nullopt);
  EXPECT_EQ(Shape({0, int64_t{1} << 62, 4}).ElementCount(), std::nullopt);
}

TEST(ShapeTest, ADynamicDimensionAcceptsAnySize) {
  const Shape declared({kDynamicDim, 3, kDynamicDim, 416});
  EXPECT_TRUE(declared.Accepts(Shape({8, 3, 32, 416})));
  EXPECT_FALSE(declared.Accepts(Shape({8, 3, 32, 415})));
  EXPECT_FALSE(declared.Accepts(Shape({8, 3, 32})));
  EXPECT_FALSE(declared.is_static());
  EXPECT_EQ(declared.ToString(), "[-1,3,-1,416]");
}

}  // namespace
}  // namespace waystone
