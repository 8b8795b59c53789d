// SPDX-License-Identifier: Apache-2.0
#include "serving/classification.h"

#include <cmath>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using testing::ElementsAre;

std::vector<std::string> Elements(const std::string& data) {
  std::vector<std::string> elements;
  for (size_t at = 0; at + 4 <= data.size();) {
    uint32_t length = 0;
    std::memcpy(&length, data.data() + at, sizeof(length));
    elements.push_back(data.substr(at + 4, length));
    at += 4 + length;
  }
  return elements;
}

template <typename T>
TensorView View(std::vector<T>& values, DataType type, Shape shape) {
  return {type, std::move(shape), std::as_writable_bytes(std::span(values))};
}

TEST(ClassifyTest, GivesTheLargestOfEachRowFirst) {
  std::vector<float> values = {0.1F, 0.7F, 0.2F, 5, -3, 4};
  const auto classes = Classify(View(values, DataType::kFloat32, {2, 3}), true, 2, {});
  ASSERT_TRUE(classes.ok());
  EXPECT_EQ(classes->shape, Shape({2, 2}));
  EXPECT_THAT(Elements(classes->data), ElementsAre("0.700000:1", "0.200000:2", "5.000000:0", "4.000000:2"));
}

TEST(ClassifyTest, GivesAllWhereMoreAreAskedFor) {
  std::vector<int64_t> values = {3, 9};
  const auto classes = Classify(View(values, DataType::kInt64, {2}), false, 10, {"a", "b"});
  ASSERT_TRUE(classes.ok());
  EXPECT_EQ(classes->shape, Shape({2}));
  EXPECT_THAT(Elements(classes->data), ElementsAre("9:1:b", "3:0:a"));
}

TEST(ClassifyTest, EqualValuesGoByIndexAndWhatIsNoNumberGoesLast) {
  std::vector<float> values = {NAN, 1, 1, -INFINITY};
  const auto classes = Classify(View(values, DataType::kFloat32, {4}), false, 4, {});
  ASSERT_TRUE(classes.ok());
  EXPECT_THAT(Elements(classes->data), ElementsAre("1.000000:1", "1.000000:2", "-inf:3", "nan:0"));
}

TEST(ClassifyTest, OrdersHalfPrecisionByValue) {
  std::vector<uint16_t> values = {FloatToHalf(-2), FloatToHalf(0.5F)};
  const auto classes = Classify(View(values, DataType::kFloat16, {2}), false, 1, {});
  ASSERT_TRUE(classes.ok());
  EXPECT_THAT(Elements(classes->data), ElementsAre("0.500000:1"));
}

TEST(ClassifyTest, RefusesWhatHasNoOrder) {
  std::vector<uint8_t> values = {0, 1};
  EXPECT_EQ(Classify(View(values, DataType::kBool, {2}), false, 1, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace waystone
