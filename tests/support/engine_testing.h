// SPDX-License-Identifier: Apache-2.0
//
// For tests that run real engines: the adapters of this build, and tensors with content that is the same
// everywhere. A test whose engine is not built or not installed skips with the registry's own sentence.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/registry.h"
#include "types/tensor.h"

namespace waystone {

// Opened once a process.
inline const EngineRegistry& TestEngines() {
  static const EngineRegistry registry = EngineRegistry::Open(WAYSTONE_BINARY_DIR "/lib/waystone/engines");
  return registry;
}

// A tensor with a pattern in [0, 1) for floats and [0, 256) for bytes that depends on `seed`.
inline Tensor PatternTensor(DataType type, const Shape& shape, uint32_t seed) {
  Tensor tensor = *Tensor::Create(type, shape);
  uint32_t state = seed * 2654435761U + 1;
  const auto next = [&state] { return (state = state * 1664525U + 1013904223U) >> 24; };
  const size_t width = ByteSize(type);
  for (size_t i = 0; i < tensor.byte_size(); i += width) {
    const uint32_t value = next();
    std::byte* where = tensor.bytes().data() + i;
    if (type == DataType::kFloat32) {
      const float real = static_cast<float>(value) / 256.0F;
      std::memcpy(where, &real, sizeof(real));
    } else if (type == DataType::kFloat16) {
      const uint16_t half = FloatToHalf(static_cast<float>(value) / 256.0F);
      std::memcpy(where, &half, sizeof(half));
    } else {
      *where = static_cast<std::byte>(value);
    }
  }
  return tensor;
}

// An output's elements as floats, of the types that the test models give.
inline std::vector<float> AsFloats(const TensorView& view) {
  std::vector<float> values;
  switch (view.type) {
    case DataType::kUint8:
      for (const uint8_t value : view.As<uint8_t>()) values.push_back(value);
      break;
    case DataType::kInt64:
      for (const int64_t value : view.As<int64_t>()) values.push_back(static_cast<float>(value));
      break;
    case DataType::kFloat16:
      for (const uint16_t value : view.As<uint16_t>()) values.push_back(HalfToFloat(value));
      break;
    case DataType::kFloat32:
      for (const float value : view.As<float>()) values.push_back(value);
      break;
    default:
      ADD_FAILURE() << "no test model gives " << Name(view.type);
  }
  return values;
}

// All outputs of a run; fails the test when it does not succeed.
inline std::vector<std::vector<float>> RunToFloats(Instance& instance, std::span<const TensorView> inputs) {
  std::vector<std::vector<float>> outputs;
  const auto views = instance.Run(inputs);
  EXPECT_TRUE(views.ok()) << views.status();
  if (!views.ok()) return outputs;
  for (const TensorView& view : *views) outputs.push_back(AsFloats(view));
  return outputs;
}

// The largest difference of two equally long lists; infinite when they are not, or when one has a NaN.
inline float LargestDifference(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return INFINITY;
  float largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const float difference = std::abs(a[i] - b[i]);
    if (std::isnan(difference)) return INFINITY;
    largest = std::max(largest, difference);
  }
  return largest;
}

// Largest minus least.
inline float RangeOf(std::span<const float> values) {
  if (values.empty()) return 0;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

}  // namespace waystone

#define WAYSTONE_SKIP_WITHOUT_ENGINE(name)                                                      \
  if (const auto waystone_engine = ::waystone::TestEngines().Find(name); !waystone_engine.ok()) \
  GTEST_SKIP() << waystone_engine.status().message()
