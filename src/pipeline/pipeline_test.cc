// SPDX-License-Identifier: Apache-2.0
#include "pipeline/pipeline.h"

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using ::testing::HasSubstr;

// A PNG of 4x2 pixels: the upper row red, the lower blue.
constexpr uint8_t kPng[] = {0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49,
                            0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x02, 0x08, 0x02,
                            0x00, 0x00, 0x00, 0xF0, 0xCA, 0xEA, 0x34, 0x00, 0x00, 0x00, 0x11, 0x49, 0x44,
                            0x41, 0x54, 0x78, 0xDA, 0x63, 0xF8, 0xCF, 0xC0, 0x00, 0x47, 0x0C, 0x48, 0xEC,
                            0xFF, 0x00, 0x67, 0xB2, 0x07, 0xF9, 0x5B, 0xD7, 0x7C, 0x91, 0x00, 0x00, 0x00,
                            0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82};

std::string_view Png() { return {reinterpret_cast<const char*>(kPng), sizeof(kPng)}; }

// A detector for 32x32 pixels with one stride of 16: four cells, two classes.
ModelSpec DetectorSpec() {
  ModelSpec spec;
  spec.name = "small";
  spec.names.labels = {"a", "b"};
  spec.input = "images";
  spec.preprocess.width = 32;
  spec.preprocess.height = 32;
  spec.preprocess.resize = ResizeMode::kLetterbox;
  spec.decoder.kind = DecoderKind::kYolox;
  spec.decoder.outputs = {"boxes"};
  spec.decoder.strides = {16};
  return spec;
}

ModelSignature DetectorSignature() {
  return {{{"images", DataType::kFloat32, {kDynamicDim, 3, 32, 32}}},
          {{"unused", DataType::kFloat32, {1}}, {"boxes", DataType::kFloat32, {kDynamicDim, 4, 7}}}};
}

std::unique_ptr<Pipeline> MakePipeline(const Clock& clock) {
  absl::StatusOr<std::unique_ptr<Pipeline>> pipeline =
      Pipeline::Create(DetectorSpec(), DetectorSignature(), clock);
  EXPECT_TRUE(pipeline.ok()) << pipeline.status();
  return std::move(pipeline).value();
}

TEST(PipelineTest, TakesAPictureToDetectionsInItsPixels) {
  const SteadyClock clock;
  const std::unique_ptr<Pipeline> pipeline = MakePipeline(clock);
  EXPECT_EQ(pipeline->InputShape(2), (Shape{2, 3, 32, 32}));
  Tensor input = Tensor::Create(DataType::kFloat32, pipeline->InputShape(1)).value();
  ASSERT_EQ(input.row(0).size(), pipeline->row_bytes());
  const absl::StatusOr<PreparedPicture> prepared = pipeline->Prepare(Png(), {}, input.row(0));
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_EQ(prepared->image.width, 0);
  EXPECT_EQ(prepared->geometry.picture_width, 4);
  EXPECT_EQ(prepared->geometry.scale_x, 8);
  EXPECT_EQ(input.As<float>()[0], 255);                   // red at the top left
  EXPECT_EQ(input.As<float>()[2 * 1024 + 512 - 1], 255);  // blue at the bottom right of the picture
  EXPECT_EQ(input.As<float>()[1024 - 1], 114);            // padding

  Tensor unused = Tensor::Create(DataType::kFloat32, {1}).value();
  Tensor boxes = Tensor::Create(DataType::kFloat32, {1, 4, 7}).value();
  boxes.As<float>()[4] = 1;
  boxes.As<float>()[6] = 0.75F;  // cell 0, class 1: a box of 16x16 around (0, 0)
  const std::vector<TensorView> outputs = {unused.view(), boxes.view()};
  const absl::StatusOr<Prediction> prediction = pipeline->Interpret(outputs, 0, *prepared, {});
  ASSERT_TRUE(prediction.ok()) << prediction.status();
  EXPECT_EQ(prediction->model, "small");
  EXPECT_EQ(prediction->task, Task::kDetect);
  EXPECT_EQ(prediction->width, 4);
  EXPECT_EQ(prediction->height, 2);
  ASSERT_EQ(prediction->detections.size(), 1u);
  EXPECT_EQ(prediction->detections[0].class_id, 1);
  EXPECT_EQ(prediction->detections[0].box.x_min, -1);
  EXPECT_EQ(prediction->detections[0].box.x_max, 1);
}

TEST(PipelineTest, KeepsThePictureWhenAskedAndTakesPixelsInMemory) {
  const SteadyClock clock;
  const std::unique_ptr<Pipeline> pipeline = MakePipeline(clock);
  PrepareOptions options;
  options.keep_full_image = true;
  std::vector<std::byte> from_file(pipeline->row_bytes());
  const absl::StatusOr<PreparedPicture> kept = pipeline->Prepare(Png(), options, from_file);
  ASSERT_TRUE(kept.ok()) << kept.status();
  ASSERT_EQ(kept->image.width, 4);
  EXPECT_EQ(kept->image.row(1)[2], 255);

  std::vector<std::byte> from_memory(pipeline->row_bytes());
  const absl::StatusOr<PreparedPicture> again = pipeline->PrepareImage(kept->image, {}, from_memory);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->image.width, 0);
  EXPECT_EQ(from_memory, from_file);

  Image cut = kept->image;
  cut.pixels.pop_back();
  EXPECT_THAT(std::string(pipeline->PrepareImage(cut, {}, from_memory).status().message()),
              HasSubstr("4x2 cannot have 23 bytes"));
  EXPECT_FALSE(pipeline->PrepareImage(Image(), {}, from_memory).ok());
}

TEST(PipelineTest, PassesErrorsOn) {
  FakeClock clock;
  const std::unique_ptr<Pipeline> pipeline = MakePipeline(clock);
  std::vector<std::byte> row(pipeline->row_bytes());
  EXPECT_FALSE(pipeline->Prepare("not a picture", {}, row).ok());
  PrepareOptions options;
  options.limits.max_pixels = 7;
  options.limits.max_scaled_source_pixels = 7;
  EXPECT_EQ(pipeline->Prepare(Png(), options, row).status().code(), absl::StatusCode::kOutOfRange);
  options = {};
  options.deadline = Deadline::At(clock.Now());
  EXPECT_EQ(pipeline->PrepareImage(Image(4, 2), options, row).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(pipeline->PrepareImage(Image(4, 2), {}, std::span(row).first(10)).ok());
  Tensor unused = Tensor::Create(DataType::kFloat32, {1}).value();
  const std::vector<TensorView> too_few = {unused.view()};
  EXPECT_THAT(std::string(pipeline->Interpret(too_few, 0, {}, {}).status().message()),
              HasSubstr("gave 1 outputs; the decoder reads \"boxes\", number 2"));
}

TEST(PipelineTest, NeedsNoNamesWhereThereIsOnlyOne) {
  const SteadyClock clock;
  ModelSpec spec = DetectorSpec();
  spec.input = "";
  spec.decoder.outputs = {};
  ModelSignature signature = DetectorSignature();
  signature.outputs.erase(signature.outputs.begin());
  const absl::StatusOr<std::unique_ptr<Pipeline>> pipeline = Pipeline::Create(spec, signature, clock);
  ASSERT_TRUE(pipeline.ok()) << pipeline.status();
  EXPECT_EQ((*pipeline)->spec().input, "images");
  EXPECT_THAT((*pipeline)->spec().decoder.outputs, ::testing::ElementsAre("boxes"));
}

struct Misfit {
  const char* error;
  std::function<void(ModelSpec&, ModelSignature&)> make;
};

class PipelineMisfitTest : public ::testing::TestWithParam<Misfit> {};

TEST_P(PipelineMisfitTest, SaysWhichFieldDoesNotFitTheModel) {
  const SteadyClock clock;
  ModelSpec spec = DetectorSpec();
  ModelSignature signature = DetectorSignature();
  GetParam().make(spec, signature);
  const absl::Status status = Pipeline::Create(spec, signature, clock).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    All, PipelineMisfitTest,
    ::testing::Values(
        Misfit{"input.tensor is \"other\"; the model's input is \"images\"",
               [](ModelSpec& spec, ModelSignature&) { spec.input = "other"; }},
        Misfit{
            "the model has 2 inputs (\"images\", \"images\"); a picture fills one",
            [](ModelSpec&, ModelSignature& signature) { signature.inputs.push_back(signature.inputs[0]); }},
        Misfit{"the model has 0 inputs",
               [](ModelSpec&, ModelSignature& signature) { signature.inputs.clear(); }},
        Misfit{"input.type is UINT8; the model's input \"images\" is FP32[-1,3,32,32]",
               [](ModelSpec& spec, ModelSignature&) { spec.preprocess.type = DataType::kUint8; }},
        Misfit{"input.layout, width and height make [-1,32,32,3]; the model's input",
               [](ModelSpec& spec, ModelSignature&) { spec.preprocess.layout = Layout::kNhwc; }},
        Misfit{"make [-1,3,64,32]", [](ModelSpec& spec, ModelSignature&) { spec.preprocess.height = 64; }},
        Misfit{"make [-1,3,32,32]; the model's input \"images\" is FP32[1,1024]",
               [](ModelSpec&, ModelSignature& signature) { signature.inputs[0].shape = {1, 1024}; }},
        Misfit{"decoder.outputs has \"none\"; the model's outputs are \"unused\", \"boxes\"",
               [](ModelSpec& spec, ModelSignature&) { spec.decoder.outputs = {"none"}; }},
        Misfit{"reads 1 output tensors, given 2",
               [](ModelSpec& spec, ModelSignature&) { spec.decoder.outputs.clear(); }},
        Misfit{"output \"boxes\" is FP32[1,5,7]; the decoder reads",
               [](ModelSpec&, ModelSignature& signature) { signature.outputs[1].shape = {1, 5, 7}; }},
        Misfit{"labels has 1 entries; the model has 2 classes",
               [](ModelSpec& spec, ModelSignature&) { spec.names.labels.pop_back(); }}));

TEST(PipelineTest, AcceptsShapesTheModelLeavesOpen) {
  const SteadyClock clock;
  ModelSignature signature = DetectorSignature();
  signature.inputs[0].shape = {kDynamicDim, 3, kDynamicDim, kDynamicDim};
  signature.outputs[1].shape = {kDynamicDim, kDynamicDim, kDynamicDim};
  EXPECT_TRUE(Pipeline::Create(DetectorSpec(), signature, clock).ok());
}

}  // namespace
}  // namespace waystone
