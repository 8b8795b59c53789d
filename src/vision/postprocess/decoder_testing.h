// SPDX-License-Identifier: Apache-2.0
//
// What the tests of several decoders share. For tests only.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "vision/postprocess/decoder.h"

namespace waystone {

inline Tensor MakeTensor(Shape shape, DataType type = DataType::kFloat32) {
  absl::StatusOr<Tensor> tensor = Tensor::Create(type, std::move(shape));
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return std::move(tensor).value();
}

inline std::unique_ptr<Decoder> MakeTestDecoder(const ModelSpec& spec) {
  absl::StatusOr<std::unique_ptr<Decoder>> decoder = MakeDecoder(spec);
  EXPECT_TRUE(decoder.ok()) << decoder.status();
  return decoder.ok() ? std::move(decoder).value() : nullptr;
}

// A spec of 64 x 32 pixels for the task of the decoder.
inline ModelSpec SpecFor(DecoderKind kind) {
  ModelSpec spec;
  spec.task = TaskOf(kind);
  spec.preprocess.width = 64;
  spec.preprocess.height = 32;
  spec.decoder.kind = kind;
  return spec;
}

// A picture of the input's own size.
inline constexpr InputGeometry kSameSize = {.picture_width = 64, .picture_height = 32};

inline Answers DecodeRow(const Decoder& decoder, const std::vector<TensorView>& outputs, int64_t row = 0,
                         const ThresholdSpec& thresholds = {}, const InputGeometry& geometry = kSameSize) {
  absl::StatusOr<Answers> answers = decoder.Decode(outputs, row, geometry, thresholds);
  EXPECT_TRUE(answers.ok()) << answers.status();
  return answers.ok() ? std::move(answers).value() : Answers{};
}

inline void ExpectBoxNear(const Box& box, float x_min, float y_min, float x_max, float y_max) {
  EXPECT_NEAR(box.x_min, x_min, 1e-3);
  EXPECT_NEAR(box.y_min, y_min, 1e-3);
  EXPECT_NEAR(box.x_max, x_max, 1e-3);
  EXPECT_NEAR(box.y_max, y_max, 1e-3);
}

}  // namespace waystone
