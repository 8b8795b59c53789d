// SPDX-License-Identifier: Apache-2.0
#include "types/tensor.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(TensorTest, IsZeroedAlignedAndSplitIntoRows) {
  absl::StatusOr<Tensor> tensor = Tensor::Create(DataType::kFloat32, {2, 3});
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->bytes().data()) % Tensor::kAlignment, 0u);
  for (const float value : tensor->As<float>()) EXPECT_EQ(value, 0.0f);
  EXPECT_EQ(tensor->row(1).data() - tensor->bytes().data(), 12);
  EXPECT_EQ(tensor->row(1).size(), 12u);
}

TEST(TensorTest, RefusesShapesBeforeTakingMemory) {
  EXPECT_EQ(Tensor::Create(DataType::kFloat32, {-1, 3}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Tensor::Create(DataType::kFloat64, {int64_t{1} << 61, 2}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(Tensor::Create(DataType::kUint8, {100}, 100).ok());
  EXPECT_EQ(Tensor::Create(DataType::kUint8, {101}, 100).status().code(), absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace waystone
