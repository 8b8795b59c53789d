// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/decoder.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vision/postprocess/decoder_testing.h"
#include "vision/postprocess/ssd_anchors.h"

namespace waystone {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::unique_ptr<Decoder> Make(const ModelSpec& spec) {
  absl::StatusOr<std::unique_ptr<Decoder>> decoder = MakeDecoder(spec);
  EXPECT_TRUE(decoder.ok()) << decoder.status();
  return std::move(decoder).value();
}

Answers Decode(const Decoder& decoder, std::vector<TensorView> outputs, int64_t row,
               const ThresholdSpec& thresholds) {
  const InputGeometry geometry{.picture_width = 64, .picture_height = 32};
  absl::StatusOr<Answers> answers = decoder.Decode(outputs, row, geometry, thresholds);
  EXPECT_TRUE(answers.ok()) << answers.status();
  return answers.ok() ? std::move(answers).value() : Answers{};
}

void ExpectBox(const Box& box, float x_min, float y_min, float x_max, float y_max) {
  EXPECT_NEAR(box.x_min, x_min, 1e-3);
  EXPECT_NEAR(box.y_min, y_min, 1e-3);
  EXPECT_NEAR(box.x_max, x_max, 1e-3);
  EXPECT_NEAR(box.y_max, y_max, 1e-3);
}

// 64x32 pixels, strides 16 and 32: 8 cells and 2 cells.
ModelSpec GridSpec(DecoderKind kind) {
  ModelSpec spec;
  spec.preprocess.width = 64;
  spec.preprocess.height = 32;
  spec.decoder.kind = kind;
  spec.decoder.strides = {16, 32};
  return spec;
}

TEST(YoloxDecoderTest, DecodesCellsOfEveryStrideForTheRowAsked) {
  ModelSpec spec = GridSpec(DecoderKind::kYolox);
  spec.decoder.outputs = {"output"};
  Tensor output = MakeTensor({2, 10, 5 + 3});
  const auto cell = [&](int64_t row, size_t index) {
    return std::span<float>(reinterpret_cast<float*>(output.row(row).data()) + 8 * index, 8);
  };
  // Stride 16, cell 6 is column 2 of row 1; class 1.
  std::ranges::copy(std::vector<float>{0.5F, -0.25F, std::log(2.0F), 0, 0.9F, 0.1F, 0.8F, 0},
                    cell(1, 6).begin());
  // Stride 32, cell 9 is column 1; two classes above the threshold.
  std::ranges::copy(std::vector<float>{0, 0.5F, 0, 0, 1, 0.5F, 0, 0.6F}, cell(1, 9).begin());
  const std::unique_ptr<Decoder> decoder = Make(spec);

  EXPECT_TRUE(Decode(*decoder, {output.view()}, 0, {}).detections.empty());
  const std::vector<Detection> found = Decode(*decoder, {output.view()}, 1, {}).detections;
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].class_id, 1);
  EXPECT_NEAR(found[0].score, 0.72, 1e-6);
  ExpectBox(found[0].box, 2.5F * 16 - 16, 0.75F * 16 - 8, 2.5F * 16 + 16, 0.75F * 16 + 8);
  EXPECT_EQ(found[1].class_id, 2);
  ExpectBox(found[1].box, 32 - 16, 16 - 16, 32 + 16, 16 + 16);
  EXPECT_EQ(found[2].class_id, 0);

  ThresholdSpec thresholds;
  thresholds.best_class_only = true;
  EXPECT_EQ(Decode(*decoder, {output.view()}, 1, thresholds).detections.size(), 2u);
}

TEST(YoloxDecoderTest, LeavesOutValuesThatAreNotFinite) {
  Tensor output = MakeTensor({1, 10, 7});
  std::ranges::fill(output.As<float>(), kNan);
  const std::unique_ptr<Decoder> decoder = Make(GridSpec(DecoderKind::kYolox));
  EXPECT_TRUE(Decode(*decoder, {output.view()}, 0, {}).detections.empty());
  std::ranges::fill(output.As<float>(), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(Decode(*decoder, {output.view()}, 0, {}).detections.empty());
  std::ranges::fill(output.As<float>(), 1e30F);  // sizes overflow
  EXPECT_TRUE(Decode(*decoder, {output.view()}, 0, {}).detections.empty());
}

TEST(YoloxDecoderTest, ReadsHalfPrecision) {
  Tensor output = MakeTensor({1, 10, 6}, DataType::kFloat16);
  const std::vector<float> cell = {0, 0, 0, 0, 1, 0.5F};
  std::ranges::transform(cell, output.As<uint16_t>().begin() + 6, FloatToHalf);
  const std::vector<Detection> found =
      Decode(*Make(GridSpec(DecoderKind::kYolox)), {output.view()}, 0, {}).detections;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].score, 0.5F);
  ExpectBox(found[0].box, 8, -8, 24, 8);
}

TEST(YoloxDecoderTest, SaysWhichOutputDoesNotFitAndWhatWasWanted) {
  ModelSpec spec = GridSpec(DecoderKind::kYolox);
  spec.decoder.outputs = {"boxes"};
  const std::unique_ptr<Decoder> decoder = Make(spec);
  Tensor wrong_cells = MakeTensor({1, 9, 85});
  Tensor wrong_type = MakeTensor({1, 10, 85}, DataType::kUint8);
  Tensor no_classes = MakeTensor({1, 10, 5});
  const auto error = [&](std::vector<TensorView> outputs, int64_t row) {
    const absl::Status status = decoder->Decode(outputs, row, {}, {}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(error({wrong_cells.view()}, 0),
              AllOf(HasSubstr("\"boxes\" is FP32[1,9,85]"), HasSubstr("[-1,10,-1]")));
  EXPECT_THAT(error({wrong_type.view()}, 0), HasSubstr("is UINT8[1,10,85]"));
  EXPECT_THAT(error({no_classes.view()}, 0), HasSubstr("5 numbers and the class scores"));
  EXPECT_THAT(error({}, 0), HasSubstr("reads 1 output tensors, given 0"));
  Tensor right = MakeTensor({2, 10, 85});
  EXPECT_THAT(error({right.view()}, 2), HasSubstr("row 2"));
  EXPECT_THAT(error({right.view()}, -1), HasSubstr("row -1"));
  TensorView cut = right.view();
  cut.data = cut.data.first(cut.data.size() - 4);
  EXPECT_THAT(error({cut}, 0), HasSubstr("6796 bytes"));
  TensorView open = right.view();
  open.shape[2] = kDynamicDim;
  EXPECT_THAT(error({open}, 0), HasSubstr("is not the size of"));
}

TEST(NanodetDecoderTest, DecodesDistributionsIntoSides) {
  ModelSpec spec = GridSpec(DecoderKind::kNanodet);
  spec.decoder.reg_max = 3;
  Tensor scores16 = MakeTensor({1, 8, 2});
  Tensor scores32 = MakeTensor({1, 2, 2});
  Tensor sides16 = MakeTensor({1, 8, 16});
  Tensor sides32 = MakeTensor({1, 2, 16});
  scores32.As<float>()[2 * 1 + 1] = 0.75F;  // stride 32, cell 1, class 1
  const std::span<float> bins = sides32.As<float>().subspan(16, 16);
  bins[2] = 100;                        // left: exactly 2 strides
  bins[4 + 1] = 100;                    // top: exactly 1
  bins[8 + 0] = bins[8 + 1] = 100;      // right: half between 0 and 1
  const std::vector<Detection> found =  // bottom: uniform over 0..3, 1.5
      Decode(*Make(spec), {scores16.view(), scores32.view(), sides16.view(), sides32.view()}, 0, {})
          .detections;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].class_id, 1);
  EXPECT_EQ(found[0].score, 0.75F);
  ExpectBox(found[0].box, 47.5F - 64, 15.5F - 32, 47.5F + 16, 15.5F + 48);
}

TEST(NanodetDecoderTest, RefusesStridesWithDifferentClasses) {
  ModelSpec spec = GridSpec(DecoderKind::kNanodet);
  spec.decoder.reg_max = 3;
  Tensor scores16 = MakeTensor({1, 8, 2});
  Tensor scores32 = MakeTensor({1, 2, 3});
  Tensor sides16 = MakeTensor({1, 8, 16});
  Tensor sides32 = MakeTensor({1, 2, 16});
  const std::vector<TensorView> outputs = {scores16.view(), scores32.view(), sides16.view(), sides32.view()};
  EXPECT_THAT(std::string(Make(spec)->Decode(outputs, 0, {}, {}).status().message()),
              AllOf(HasSubstr("output 1"), HasSubstr("[-1,2,2]")));
}

ModelSpec SsdSpec() {
  ModelSpec spec;
  spec.preprocess.width = 300;
  spec.preprocess.height = 200;
  spec.decoder.kind = DecoderKind::kSsd;
  spec.decoder.feature_sizes = {19, 10, 5, 3, 2, 1};
  spec.decoder.aspect_ratios = {1, 2, 0.5F, 3, 0.3333F};
  spec.decoder.background_classes = 1;
  return spec;
}

// Numbers worked out by hand from the definition of ssd_anchor_generator.
TEST(SsdAnchorsTest, AreThoseOfTheSsdAnchorGenerator) {
  const absl::StatusOr<std::vector<SsdAnchor>> anchors = MakeSsdAnchors(SsdSpec().decoder);
  ASSERT_TRUE(anchors.ok()) << anchors.status();
  ASSERT_EQ(anchors->size(), 1917u);
  const auto expect = [&](size_t i, float y, float x, float height, float width) {
    EXPECT_NEAR((*anchors)[i].center_y, y, 1e-6) << i;
    EXPECT_NEAR((*anchors)[i].center_x, x, 1e-6) << i;
    EXPECT_NEAR((*anchors)[i].height, height, 1e-6) << i;
    EXPECT_NEAR((*anchors)[i].width, width, 1e-6) << i;
  };
  expect(0, 0.5F / 19, 0.5F / 19, 0.1F, 0.1F);
  expect(1, 0.5F / 19, 0.5F / 19, 0.141421356F, 0.282842712F);
  expect(2, 0.5F / 19, 0.5F / 19, 0.282842712F, 0.141421356F);
  expect(3, 0.5F / 19, 1.5F / 19, 0.1F, 0.1F);
  expect(3 * 19, 1.5F / 19, 0.5F / 19, 0.1F, 0.1F);
  expect(1083, 0.05F, 0.05F, 0.35F, 0.35F);  // second map: scale 0.35
  expect(1083 + 3, 0.05F, 0.05F, 0.35F / 1.7320508F, 0.35F * 1.7320508F);
  expect(1083 + 5, 0.05F, 0.05F, 0.418330013F, 0.418330013F);  // sqrt(0.35 * 0.5)
  expect(1916, 0.5F, 0.5F, 0.974679434F, 0.974679434F);        // sqrt(0.95 * 1)
}

TEST(SsdAnchorsTest, RefusesWhatWouldBeTooMany) {
  ModelSpec spec = SsdSpec();
  spec.decoder.feature_sizes.assign(16, 512);
  EXPECT_THAT(std::string(MakeDecoder(spec).status().message()), HasSubstr("anchors; the limit is"));
}

TEST(SsdDecoderTest, DecodesBoxesAgainstAnchorsAndSkipsBackground) {
  Tensor boxes = MakeTensor({1, 1917, 4});
  Tensor scores = MakeTensor({1, 1917, 4});
  scores.As<float>()[4 * 1916 + 0] = 0.99F;  // background
  scores.As<float>()[4 * 1916 + 3] = 0.6F;
  std::ranges::copy(std::vector<float>{1, -2, 5 * std::log(0.5F), 0}, boxes.As<float>().begin() + 4 * 1916);
  const std::vector<Detection> found =
      Decode(*Make(SsdSpec()), {boxes.view(), scores.view()}, 0, {}).detections;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].class_id, 2);
  const float side = 0.974679434F;
  const float center_y = 200 * (0.5F + 0.1F * side);
  const float center_x = 300 * (0.5F - 0.2F * side);
  ExpectBox(found[0].box, center_x - 150 * side, center_y - 50 * side, center_x + 150 * side,
            center_y + 50 * side);
}

TEST(SsdDecoderTest, AppliesTheLogisticFunctionWhenScoresAreLogits) {
  ModelSpec spec = SsdSpec();
  spec.decoder.sigmoid = true;
  Tensor boxes = MakeTensor({1, 1917, 4});
  Tensor scores = MakeTensor({1, 1917, 3});
  std::ranges::fill(scores.As<float>(), -10.0F);
  scores.As<float>()[1] = 1.0F;  // 0.731
  scores.As<float>()[5] = 0.0F;  // exactly at the threshold
  ThresholdSpec thresholds;
  thresholds.score = 0.5F;
  const std::vector<Detection> found =
      Decode(*Make(spec), {boxes.view(), scores.view()}, 0, thresholds).detections;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].score, 0.7310586, 1e-6);
  EXPECT_EQ(found[1].class_id, 1);
}

ModelSpec ClassificationSpec() {
  ModelSpec spec;
  spec.task = Task::kClassify;
  spec.decoder.kind = DecoderKind::kClassification;
  return spec;
}

TEST(ClassificationDecoderTest, GivesTheBestClassesWithTiesInOrder) {
  Tensor output = MakeTensor({2, 5, 1, 1});
  std::ranges::copy(std::vector<float>{0.1F, 0.4F, kNan, 0.4F, 0.2F}, output.As<float>().begin() + 5);
  ThresholdSpec thresholds;
  thresholds.top_k = 3;
  const std::vector<ClassScore> classes =
      Decode(*Make(ClassificationSpec()), {output.view()}, 1, thresholds).classes;
  ASSERT_EQ(classes.size(), 3u);
  EXPECT_EQ(classes[0].class_id, 1);
  EXPECT_EQ(classes[1].class_id, 3);
  EXPECT_EQ(classes[2].class_id, 4);
  EXPECT_EQ(classes[2].score, 0.2F);
}

TEST(ClassificationDecoderTest, ReadsQuantisedOutputsAndTakesOffTheBackground) {
  ModelSpec spec = ClassificationSpec();
  spec.decoder.output_scale = 1.0F / 256;
  spec.decoder.background_classes = 1;
  Tensor output = MakeTensor({1, 4}, DataType::kUint8);
  std::ranges::copy(std::vector<uint8_t>{255, 0, 192, 64}, output.As<uint8_t>().begin());
  const std::vector<ClassScore> classes = Decode(*Make(spec), {output.view()}, 0, {}).classes;
  ASSERT_EQ(classes.size(), 3u);
  EXPECT_EQ(classes[0].class_id, 1);
  EXPECT_EQ(classes[0].score, 0.75F);
  EXPECT_EQ(classes[1].class_id, 2);
  EXPECT_EQ(classes[2].class_id, 0);
}

TEST(ClassificationDecoderTest, SoftmaxIsStableAndCountsTheBackground) {
  ModelSpec spec = ClassificationSpec();
  spec.decoder.softmax = true;
  spec.decoder.background_classes = 1;
  Tensor output = MakeTensor({1, 3});
  std::ranges::copy(std::vector<float>{1000, 1000, 1000 + std::log(2.0F)}, output.As<float>().begin());
  const std::vector<ClassScore> classes = Decode(*Make(spec), {output.view()}, 0, {}).classes;
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_NEAR(classes[0].score, 0.5, 1e-4);
  EXPECT_NEAR(classes[1].score, 0.25, 1e-4);
}

TEST(ClassificationDecoderTest, RefusesShapesThatAreNotAListOfClasses) {
  const std::unique_ptr<Decoder> decoder = Make(ClassificationSpec());
  for (const Shape& shape : {Shape{1, 3, 3}, Shape{3}, Shape{1, 0}}) {
    Tensor output = MakeTensor(shape);
    const std::vector<TensorView> outputs = {output.view()};
    EXPECT_THAT(std::string(decoder->Decode(outputs, 0, {}, {}).status().message()), HasSubstr("[-1,C]"))
        << shape.ToString();
  }
}

TEST(DecoderTest, CountsClassesFromTheSignature) {
  const auto count = [](const ModelSpec& spec, std::vector<TensorSignature> outputs) {
    return Make(spec)->CountClasses(outputs);
  };
  const Shape open_rows{kDynamicDim, kDynamicDim, 85};
  EXPECT_EQ(count(GridSpec(DecoderKind::kYolox), {{"o", DataType::kFloat32, open_rows}}).value(), 80);
  EXPECT_EQ(count(GridSpec(DecoderKind::kYolox), {{"o", DataType::kFloat32, {1, 10, kDynamicDim}}}).value(),
            kDynamicDim);
  EXPECT_FALSE(count(GridSpec(DecoderKind::kYolox), {{"o", DataType::kFloat32, {1, 11, 85}}}).ok());
  EXPECT_EQ(
      count(SsdSpec(), {{"b", DataType::kFloat32, {1, 1917, 4}}, {"s", DataType::kFloat32, {1, 1917, 91}}})
          .value(),
      90);
  EXPECT_EQ(count(ClassificationSpec(), {{"s", DataType::kFloat16, {kDynamicDim, 1000, 1, 1}}}).value(),
            1000);
}

TEST(DecoderTest, RefusesImpossibleSpecs) {
  ModelSpec stride = GridSpec(DecoderKind::kYolox);
  stride.decoder.strides = {16, 24};
  EXPECT_THAT(std::string(MakeDecoder(stride).status().message()), HasSubstr("24, which does not divide"));
  ModelSpec task = GridSpec(DecoderKind::kYolox);
  task.task = Task::kClassify;
  EXPECT_FALSE(MakeDecoder(task).ok());
  ModelSpec outputs = GridSpec(DecoderKind::kNanodet);
  outputs.decoder.outputs = {"a", "b", "c"};
  EXPECT_THAT(std::string(MakeDecoder(outputs).status().message()),
              HasSubstr("reads 4 output tensors, given 3"));
  ModelSpec bins = GridSpec(DecoderKind::kNanodet);
  bins.decoder.reg_max = 33;
  EXPECT_FALSE(MakeDecoder(bins).ok());
  ModelSpec scales = SsdSpec();
  scales.decoder.box_coder_scales[2] = 0;
  EXPECT_FALSE(MakeDecoder(scales).ok());
}

}  // namespace
}  // namespace waystone
