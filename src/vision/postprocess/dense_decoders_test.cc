// SPDX-License-Identifier: Apache-2.0
//
// Decoders of what fills the input: landmarks, masks, embeddings, boxes in space, features.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vision/postprocess/decoder_testing.h"

namespace waystone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void Fill(Tensor& tensor, std::initializer_list<float> values) {
  std::ranges::copy(values, tensor.As<float>().begin());
}

std::string ErrorOf(const Decoder& decoder, const std::vector<TensorView>& outputs) {
  return std::string(decoder.Decode(outputs, 0, kSameSize, {}).status().message());
}

ModelSpec LandmarksSpec(int count, int values) {
  ModelSpec spec = SpecFor(DecoderKind::kLandmarks);
  spec.decoder.point_count = count;
  spec.decoder.point_values = values;
  return spec;
}

TEST(LandmarksDecoderTest, ReadsPointsVisibilityGuidesAndSpace) {
  Tensor points = MakeTensor({1, 3 * 5});
  Tensor presence = MakeTensor({1, 1});
  Tensor world = MakeTensor({1, 9});
  Fill(points, {10, 20, 5, 2, 0, 30, 10, -5, 100, 100, 1, 2, 3, 4, 5});
  Fill(presence, {0.75F});
  Fill(world, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Answers answers =
      DecodeRow(*MakeTestDecoder(LandmarksSpec(2, 5)), {points.view(), presence.view(), world.view()});
  ASSERT_EQ(answers.landmarks.size(), 1u);
  const LandmarkSet& found = answers.landmarks[0];
  EXPECT_FLOAT_EQ(found.score, 0.75F);
  ASSERT_EQ(found.points.size(), 2u);
  EXPECT_FLOAT_EQ(found.points[0].z, 5);
  EXPECT_FLOAT_EQ(found.points[0].score, 0.5F);  // the lesser of visible and present
  EXPECT_FLOAT_EQ(found.points[1].score, 1);
  ASSERT_EQ(found.guide_points.size(), 1u);
  EXPECT_FLOAT_EQ(found.guide_points[0].y, 2);
  EXPECT_THAT(found.world_points, ElementsAre(ElementsAre(1, 2, 3), ElementsAre(4, 5, 6)));
  EXPECT_FALSE(found.right_side.has_value());
  ExpectBoxNear(found.box, 10, 10, 30, 20);
}

TEST(LandmarksDecoderTest, AnswersNothingBelowTheThresholdOrWithoutNumbers) {
  ModelSpec spec = LandmarksSpec(1, 3);
  spec.decoder.sigmoid = true;
  const std::unique_ptr<Decoder> decoder = MakeTestDecoder(spec);
  Tensor points = MakeTensor({1, 1, 1, 3});
  Tensor presence = MakeTensor({1, 1, 1, 1});
  ThresholdSpec half;
  half.score = 0.5F;
  Fill(presence, {0});
  EXPECT_EQ(DecodeRow(*decoder, {points.view(), presence.view()}, 0, half).landmarks.size(), 1u);
  Fill(presence, {-0.01F});
  EXPECT_TRUE(DecodeRow(*decoder, {points.view(), presence.view()}, 0, half).landmarks.empty());
  Fill(presence, {kNan});
  EXPECT_TRUE(DecodeRow(*decoder, {points.view(), presence.view()}, 0, half).landmarks.empty());
  Fill(presence, {3});
  Fill(points, {1, kNan, 0});
  EXPECT_TRUE(DecodeRow(*decoder, {points.view(), presence.view()}, 0, half).landmarks.empty());
}

TEST(LandmarksDecoderTest, SaysHowManyNumbersItWants) {
  const std::unique_ptr<Decoder> decoder = MakeTestDecoder(LandmarksSpec(21, 3));
  Tensor points = MakeTensor({1, 60});
  Tensor presence = MakeTensor({1, 1});
  EXPECT_EQ(ErrorOf(*decoder, {points.view(), presence.view()}),
            "output 0 has 60 numbers; the decoder reads 63 or more, 3 a point");
  EXPECT_THAT(ErrorOf(*decoder, {points.view()}), HasSubstr("reads 2 to 4 output tensors, given 1"));
  EXPECT_FALSE(MakeDecoder(LandmarksSpec(0, 3)).ok());
  EXPECT_FALSE(MakeDecoder(LandmarksSpec(1001, 3)).ok());
  EXPECT_FALSE(MakeDecoder(LandmarksSpec(5, 4)).ok());
}

TEST(SegmentationDecoderTest, TheLargestLogitWinsAndSharesAddUp) {
  ModelSpec spec = SpecFor(DecoderKind::kSegmentation);
  Tensor output = MakeTensor({1, 2, 4, 3});
  const std::span<float> logits = output.As<float>();
  for (size_t pixel = 0; pixel < 8; ++pixel) logits[3 * pixel + (pixel < 6 ? 2 : 1)] = 4;
  logits[0] = kNan;  // is never the largest
  const Answers answers = DecodeRow(*MakeTestDecoder(spec), {output.view()});
  EXPECT_EQ(answers.mask.width, 4);
  EXPECT_EQ(answers.mask.height, 2);
  EXPECT_THAT(answers.mask.values, ElementsAre(2, 2, 2, 2, 2, 2, 1, 1));
  ASSERT_EQ(answers.segments.size(), 2u);
  EXPECT_EQ(answers.segments[0].class_id, 2);
  EXPECT_FLOAT_EQ(answers.segments[0].share, 0.75F);
  EXPECT_FLOAT_EQ(answers.segments[1].share, 0.25F);
  EXPECT_NEAR(answers.segments[1].score, std::exp(4.0) / (std::exp(4.0) + 2), 1e-4);
}

TEST(SegmentationDecoderTest, AProbabilityBecomesALevelAndOddValuesNothing) {
  Tensor output = MakeTensor({1, 1, 4, 1});
  Fill(output, {0.2F, 0.6F, 7, kNan});
  const Answers answers = DecodeRow(*MakeTestDecoder(SpecFor(DecoderKind::kSegmentation)), {output.view()});
  EXPECT_EQ(answers.mask.kind, SegmentMask::Kind::kProbability);
  EXPECT_THAT(answers.mask.values, ElementsAre(51, 153, 255, 0));
  ASSERT_EQ(answers.segments.size(), 1u);
  EXPECT_FLOAT_EQ(answers.segments[0].share, 0.5F);
  EXPECT_FLOAT_EQ(answers.segments[0].score, 0.8F);
}

TEST(SegmentationDecoderTest, CutsOffWhatIsNotThePicture) {
  Tensor output = MakeTensor({1, 4, 8, 1});
  for (size_t i = 0; i < 32; ++i) output.As<float>()[i] = static_cast<float>(i) / 255;
  // A picture of 32 x 32 in the middle of 64 x 32.
  const InputGeometry geometry{.offset_x = 16, .picture_width = 32, .picture_height = 32};
  const Answers answers =
      DecodeRow(*MakeTestDecoder(SpecFor(DecoderKind::kSegmentation)), {output.view()}, 0, {}, geometry);
  EXPECT_EQ(answers.mask.width, 4);
  EXPECT_EQ(answers.mask.height, 4);
  EXPECT_EQ(answers.mask.values[0], 2);
  EXPECT_EQ(answers.mask.values[15], 29);
}

TEST(SegmentationDecoderTest, RefusesMoreClassesThanAMaskHolds) {
  Tensor output = MakeTensor({1, 1, 1, 257});
  EXPECT_THAT(ErrorOf(*MakeTestDecoder(SpecFor(DecoderKind::kSegmentation)), {output.view()}),
              HasSubstr("256 classes"));
}

TEST(EmbeddingDecoderTest, DequantisesAndMakesTheLengthOne) {
  ModelSpec spec = SpecFor(DecoderKind::kEmbedding);
  spec.decoder.output_scale = 0.5F;
  spec.decoder.output_zero = 10;
  Tensor output = MakeTensor({1, 1, 1, 2}, DataType::kUint8);
  output.As<uint8_t>()[0] = 16;
  output.As<uint8_t>()[1] = 2;
  const Answers answers = DecodeRow(*MakeTestDecoder(spec), {output.view()});
  ASSERT_EQ(answers.embeddings.size(), 1u);
  EXPECT_THAT(answers.embeddings[0].values, ElementsAre(::testing::FloatEq(0.6F), ::testing::FloatEq(-0.8F)));
  ExpectBoxNear(answers.embeddings[0].box, 0, 0, 64, 32);
}

TEST(EmbeddingDecoderTest, RefusesAVectorWithoutDirection) {
  Tensor output = MakeTensor({1, 3});
  const std::unique_ptr<Decoder> decoder = MakeTestDecoder(SpecFor(DecoderKind::kEmbedding));
  EXPECT_THAT(ErrorOf(*decoder, {output.view()}), HasSubstr("has no direction"));
  Fill(output, {1, kNan, 0});
  EXPECT_THAT(ErrorOf(*decoder, {output.view()}), HasSubstr("has no direction"));
}

TEST(Box3dDecoderTest, ReadsNinePointsAndLeavesOutWhatIsNotThere) {
  Tensor points = MakeTensor({1, 18});
  Tensor presence = MakeTensor({1, 1});
  for (size_t i = 0; i < 18; ++i) points.As<float>()[i] = static_cast<float>(i);
  Fill(presence, {0.9F});
  const std::unique_ptr<Decoder> decoder = MakeTestDecoder(SpecFor(DecoderKind::kBox3d));
  const Answers answers = DecodeRow(*decoder, {points.view(), presence.view()});
  ASSERT_EQ(answers.boxes3d.size(), 1u);
  EXPECT_FLOAT_EQ(answers.boxes3d[0].points[8].x, 16);
  EXPECT_FLOAT_EQ(answers.boxes3d[0].points[8].y, 17);
  ExpectBoxNear(answers.boxes3d[0].box, 0, 1, 16, 17);
  EXPECT_FALSE(answers.boxes3d[0].pose.has_value());
  Fill(presence, {0.1F});
  EXPECT_TRUE(DecodeRow(*decoder, {points.view(), presence.view()}).boxes3d.empty());
  Fill(presence, {1});
  Fill(points, {kNan});
  EXPECT_TRUE(DecodeRow(*decoder, {points.view(), presence.view()}).boxes3d.empty());
}

// 8 x 4 cells with descriptors of 2 numbers.
struct XfeatOutputs {
  Tensor descriptors = MakeTensor({1, 2, 4, 8});
  Tensor logits = MakeTensor({1, 65, 4, 8});
  Tensor reliability = MakeTensor({1, 1, 4, 8});

  XfeatOutputs() {
    for (size_t i = 0; i < 32; ++i) {
      logits.As<float>()[64 * 32 + i] = 10;  // nothing in any cell
      reliability.As<float>()[i] = 0.5F;
      descriptors.As<float>()[i] = 3;
      descriptors.As<float>()[32 + i] = 4;
    }
  }
  // A keypoint at a pixel.
  void Put(size_t x, size_t y, float logit) {
    logits.As<float>()[(8 * (y % 8) + x % 8) * 32 + y / 8 * 8 + x / 8] = logit;
  }
  std::vector<TensorView> views() { return {descriptors.view(), logits.view(), reliability.view()}; }
};

TEST(XfeatDecoderTest, FindsTheLargestWithinReachWithItsDescriptor) {
  XfeatOutputs outputs;
  outputs.Put(21, 11, 20);
  outputs.Put(23, 11, 12);  // within two pixels of a larger one
  outputs.Put(44, 20, 12);
  ThresholdSpec thresholds;
  thresholds.score = 0.05F;
  const Answers answers =
      DecodeRow(*MakeTestDecoder(SpecFor(DecoderKind::kXfeat)), outputs.views(), 0, thresholds);
  const FeatureSet& found = answers.features;
  ASSERT_EQ(found.points.size(), 2u);
  EXPECT_FLOAT_EQ(found.points[0].x, 21.5F);  // the middle of the pixel
  EXPECT_FLOAT_EQ(found.points[0].y, 11.5F);
  EXPECT_NEAR(found.points[0].score, 0.5, 1e-3);
  EXPECT_FLOAT_EQ(found.points[1].x, 44.5F);
  EXPECT_EQ(found.descriptor_size, 2);
  ASSERT_EQ(found.descriptors.size(), 4u);
  EXPECT_NEAR(found.descriptors[0], 0.6, 1e-5);
  EXPECT_NEAR(found.descriptors[1], 0.8, 1e-5);
  thresholds.max_detections = 1;
  EXPECT_EQ(DecodeRow(*MakeTestDecoder(SpecFor(DecoderKind::kXfeat)), outputs.views(), 0, thresholds)
                .features.points.size(),
            1u);
}

TEST(XfeatDecoderTest, LeavesOutValuesThatAreNotFinite) {
  XfeatOutputs outputs;
  outputs.Put(21, 11, 20);
  std::ranges::fill(outputs.descriptors.As<float>(), kNan);
  const std::unique_ptr<Decoder> decoder = MakeTestDecoder(SpecFor(DecoderKind::kXfeat));
  EXPECT_TRUE(DecodeRow(*decoder, outputs.views()).features.points.empty());
  std::ranges::fill(outputs.logits.As<float>(), kNan);
  EXPECT_TRUE(DecodeRow(*decoder, outputs.views()).features.points.empty());
}

TEST(XfeatDecoderTest, WantsAnInputOfWholeCells) {
  ModelSpec spec = SpecFor(DecoderKind::kXfeat);
  spec.preprocess.width = 63;
  EXPECT_THAT(std::string(MakeDecoder(spec).status().message()), HasSubstr("multiples of 8"));
}

TEST(MakeDecoderTest, RefusesADecoderOfAnotherTask) {
  ModelSpec spec = SpecFor(DecoderKind::kEmbedding);
  spec.task = Task::kDetect;
  EXPECT_EQ(MakeDecoder(spec).status().message(), "this decoder.type goes with task embed, not detect");
}

}  // namespace
}  // namespace waystone
