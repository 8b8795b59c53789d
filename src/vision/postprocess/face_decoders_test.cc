// SPDX-License-Identifier: Apache-2.0
//
// The detectors that find faces, palms and bodies: UltraFace, YuNet and those of MediaPipe; and FastestDet.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vision/postprocess/decoder_testing.h"

namespace waystone {
namespace {

using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void Set(Tensor& tensor, int64_t row, size_t at, std::initializer_list<float> values) {
  std::ranges::copy(values, reinterpret_cast<float*>(tensor.row(row).data()) + at);
}

void FillWith(Tensor& tensor, float value) { std::ranges::fill(tensor.As<float>(), value); }

TEST(FastestDetDecoderTest, WeighsObjectnessAndClassAndReadsPlanes) {
  ModelSpec spec = SpecFor(DecoderKind::kFastestDet);
  spec.decoder.strides = {16};
  Tensor output = MakeTensor({2, 5 + 2, 2, 4});
  constexpr size_t kCells = 8;
  constexpr size_t kCell = 6;  // column 2 of row 1
  const auto put = [&](size_t plane, float value) { Set(output, 1, plane * kCells + kCell, {value}); };
  put(0, 0.81F);
  put(1, std::atanh(0.5F));
  put(2, std::atanh(-0.5F));
  put(3, 0);                   // half of the width
  put(4, std::log(1 / 3.0F));  // a quarter of the height
  put(6, 0.49F);
  const std::unique_ptr<Decoder> decoder = MakeTestDecoder(spec);
  EXPECT_TRUE(DecodeRow(*decoder, {output.view()}, 0).detections.empty());
  const std::vector<Detection> found = DecodeRow(*decoder, {output.view()}, 1).detections;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].class_id, 1);
  EXPECT_NEAR(found[0].score, std::pow(0.81, 0.6) * std::pow(0.49, 0.4), 1e-5);
  ExpectBoxNear(found[0].box, 40 - 16, 8 - 4, 40 + 16, 8 + 4);
}

TEST(FastestDetDecoderTest, LeavesOutValuesThatAreNotFinite) {
  ModelSpec spec = SpecFor(DecoderKind::kFastestDet);
  spec.decoder.strides = {16};
  Tensor output = MakeTensor({1, 7, 2, 4});
  for (const float value : {kNan, std::numeric_limits<float>::infinity(), -1.0F}) {
    FillWith(output, value);
    EXPECT_TRUE(DecodeRow(*MakeTestDecoder(spec), {output.view()}).detections.empty()) << value;
  }
}

TEST(FastestDetDecoderTest, WantsOneGrid) {
  ModelSpec spec = SpecFor(DecoderKind::kFastestDet);
  spec.decoder.strides = {16, 32};
  EXPECT_THAT(std::string(MakeDecoder(spec).status().message()), HasSubstr("fastestdet has one grid"));
}

TEST(UltraFaceDecoderTest, ReadsCornersInFractionsAndLeavesOutTheBackground) {
  ModelSpec spec = SpecFor(DecoderKind::kUltraFace);
  spec.decoder.background_classes = 1;
  Tensor scores = MakeTensor({1, 3, 2});
  Tensor boxes = MakeTensor({1, 3, 4});
  Set(scores, 0, 0, {0.99F, 0.01F, 0.2F, 0.8F, 0.1F, 0.9F});
  Set(boxes, 0, 4, {0.25F, 0.5F, 0.5F, 1});
  Set(boxes, 0, 8, {0.75F, 0.25F, 0.5F, 0});  // corners the other way round
  const std::vector<Detection> found =
      DecodeRow(*MakeTestDecoder(spec), {scores.view(), boxes.view()}).detections;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].class_id, 0);
  EXPECT_FLOAT_EQ(found[0].score, 0.9F);
  ExpectBoxNear(found[0].box, 32, 0, 48, 8);
  ExpectBoxNear(found[1].box, 16, 16, 32, 32);
}

TEST(UltraFaceDecoderTest, RefusesBoxesAndScoresOfDifferentNumbers) {
  ModelSpec spec = SpecFor(DecoderKind::kUltraFace);
  Tensor scores = MakeTensor({1, 3, 2});
  Tensor boxes = MakeTensor({1, 4, 4});
  const absl::Status status =
      MakeTestDecoder(spec)->Decode(std::vector{scores.view(), boxes.view()}, 0, kSameSize, {}).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("output 1 is FP32[1,4,4]; the decoder reads"));
}

TEST(YunetDecoderTest, ReadsBoxesAndPointsOfEveryStride) {
  ModelSpec spec = SpecFor(DecoderKind::kYunet);
  spec.decoder.strides = {16, 32};
  std::vector<Tensor> tensors;
  for (const int64_t numbers : {1, 1, 4, 4}) {
    for (const int64_t cells : {8, 2}) tensors.push_back(MakeTensor({1, cells, numbers}));
  }
  // Stride 32, cell 1.
  Set(tensors[1], 0, 1, {0.9F});
  Set(tensors[3], 0, 1, {0.4F});
  Set(tensors[5], 0, 4, {0.25F, 0.5F, 0, std::log(0.5F)});
  Set(tensors[7], 0, 4, {0, 0.5F, 0.5F, 0.25F});
  std::vector<TensorView> views;
  for (Tensor& tensor : tensors) views.push_back(tensor.view());
  const std::vector<Detection> found = DecodeRow(*MakeTestDecoder(spec), views).detections;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].score, 0.6, 1e-6);
  ExpectBoxNear(found[0].box, 40 - 16, 16 - 8, 40 + 16, 16 + 8);
  ASSERT_EQ(found[0].points.size(), 2u);
  EXPECT_FLOAT_EQ(found[0].points[0].x, 32);
  EXPECT_FLOAT_EQ(found[0].points[0].y, 16);
  EXPECT_FLOAT_EQ(found[0].points[1].x, 48);
  EXPECT_FLOAT_EQ(found[0].points[1].y, 8);
}

ModelSpec BlazeSpec() {
  ModelSpec spec = SpecFor(DecoderKind::kBlaze);
  spec.decoder.grids = {2, 1};
  spec.decoder.anchors_per_cell = {2, 1};
  return spec;
}

TEST(BlazeDecoderTest, ReadsOffsetsFromTheCellsCentres) {
  Tensor numbers = MakeTensor({1, 9, 4 + 2 * 2});
  Tensor logits = MakeTensor({1, 9, 1});
  FillWith(logits, -20);
  // Anchor 7 is the second of cell 3: column 1 of row 1, centre (48, 24).
  Set(logits, 0, 7, {2});
  Set(numbers, 0, 7 * 8, {4, -2, 10, 6, 1, 2, -3, -4});
  const std::vector<Detection> found =
      DecodeRow(*MakeTestDecoder(BlazeSpec()), {numbers.view(), logits.view()}).detections;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].score, 1 / (1 + std::exp(-2.0)), 1e-6);
  ExpectBoxNear(found[0].box, 52 - 5, 22 - 3, 52 + 5, 22 + 3);
  ASSERT_EQ(found[0].points.size(), 2u);
  EXPECT_FLOAT_EQ(found[0].points[0].x, 49);
  EXPECT_FLOAT_EQ(found[0].points[1].y, 20);
}

TEST(BlazeDecoderTest, TakesPointsToThePictureAndDropsThoseNotFinite) {
  Tensor numbers = MakeTensor({1, 9, 6});
  Tensor logits = MakeTensor({1, 9, 1});
  FillWith(logits, -20);
  Set(logits, 0, 8, {5});  // the middle of the input
  Set(numbers, 0, 8 * 6, {0, 0, 8, 8, 4, 4});
  const InputGeometry geometry{.scale_x = 0.5F,
                               .scale_y = 0.5F,
                               .offset_x = 2,
                               .offset_y = 4,
                               .picture_width = 100,
                               .picture_height = 60};
  const std::unique_ptr<Decoder> decoder = MakeTestDecoder(BlazeSpec());
  const std::vector<Detection> found =
      DecodeRow(*decoder, {numbers.view(), logits.view()}, 0, {}, geometry).detections;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FLOAT_EQ(found[0].points[0].x, (36 - 2) / 0.5F);
  EXPECT_FLOAT_EQ(found[0].points[0].y, (20 - 4) / 0.5F);
  Set(numbers, 0, 8 * 6 + 4, {kNan});
  EXPECT_TRUE(DecodeRow(*decoder, {numbers.view(), logits.view()}, 0, {}, geometry).detections.empty());
  Set(numbers, 0, 8 * 6 + 2, {-8});
  Set(numbers, 0, 8 * 6 + 4, {4});
  ExpectBoxNear(DecodeRow(*decoder, {numbers.view(), logits.view()}).detections.at(0).box, 32, 12, 32, 20);
}

TEST(BlazeDecoderTest, RefusesGridsThatDoNotGoTogether) {
  ModelSpec spec = BlazeSpec();
  spec.decoder.anchors_per_cell = {2};
  EXPECT_THAT(std::string(MakeDecoder(spec).status().message()), HasSubstr("each grid wants both"));
  spec.decoder.grids = {4097};
  EXPECT_THAT(std::string(MakeDecoder(spec).status().message()), HasSubstr("out of range"));
  spec.decoder.grids = {4096};  // with two anchors a cell: 2^25
  EXPECT_THAT(std::string(MakeDecoder(spec).status().message()), HasSubstr("out of range"));
}

}  // namespace
}  // namespace waystone
