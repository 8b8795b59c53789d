// SPDX-License-Identifier: Apache-2.0
#include "types/data_type.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(DataTypeTest, NamesGoBothWays) {
  for (int i = 0; i <= static_cast<int>(DataType::kFloat64); ++i) {
    const auto type = static_cast<DataType>(i);
    EXPECT_EQ(DataTypeFromName(Name(type)), type);
    EXPECT_GT(ByteSize(type), 0u);
  }
  EXPECT_EQ(DataTypeFromName("fp32"), std::nullopt);
  EXPECT_EQ(Name(DataType::kFloat32), "FP32");
  EXPECT_EQ(ByteSize(DataType::kInt64), 8u);
}

TEST(HalfTest, EveryHalfSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const float value = HalfToFloat(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(HalfToFloat(FloatToHalf(value))));
    } else {
      EXPECT_EQ(FloatToHalf(value), bits);
    }
  }
}

TEST(HalfTest, RoundsToNearestEvenAndOverflowsToInfinity) {
  EXPECT_EQ(FloatToHalf(1.0f), 0x3c00);
  EXPECT_EQ(FloatToHalf(1.0f + 0x1p-11f), 0x3c00);      // half way: to even
  EXPECT_EQ(FloatToHalf(1.0f + 3 * 0x1p-11f), 0x3c02);  // half way: to even, upwards
  EXPECT_EQ(FloatToHalf(65504.0f), 0x7bff);
  EXPECT_EQ(FloatToHalf(65519.9f), 0x7bff);
  EXPECT_EQ(FloatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(FloatToHalf(-std::numeric_limits<float>::infinity()), 0xfc00);
  EXPECT_EQ(FloatToHalf(0x1p-25f), 0);  // half of the least subnormal: to even
  EXPECT_EQ(FloatToHalf(1.5f * 0x1p-24f), 2);
}

TEST(Bfloat16Test, RoundsToNearestEven) {
  EXPECT_EQ(FloatToBfloat16(1.0f), 0x3f80);
  EXPECT_EQ(FloatToBfloat16(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(FloatToBfloat16(1.0f + 3 * 0x1p-8f), 0x3f82);
  EXPECT_TRUE(std::isnan(Bfloat16ToFloat(FloatToBfloat16(std::nanf("")))));
  EXPECT_EQ(Bfloat16ToFloat(0xc040), -3.0f);
}

}  // namespace
}  // namespace waystone
