// SPDX-License-Identifier: Apache-2.0
#include "engine/load_checks.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using ::testing::HasSubstr;

const ModelSignature kOpenBatch = {{{"image", DataType::kUint8, {kDynamicDim, 2, kDynamicDim}}}, {}};
const ModelSignature kFixedBatch = {{{"image", DataType::kUint8, {1, 2, 2}}}, {}};
const EngineInfo kEngine = {
    "one", "1", {"onnx", "ir"}, {{"cpu", true, "", {"f32"}}, {"cuda", false, "libcuda.so.1 not found", {}}}};

TensorView View(std::vector<std::byte>& bytes, Shape shape, DataType type = DataType::kUint8) {
  return {type, std::move(shape), bytes};
}

TEST(CheckLoadRequestTest, NamesTheFormatsItReads) {
  EXPECT_TRUE(CheckLoadRequest(kEngine, "ir", {}).ok());
  EXPECT_EQ(CheckLoadRequest(kEngine, "tflite", {}),
            absl::UnimplementedError("does not read the format 'tflite'; it reads onnx, ir"));
}

TEST(CheckLoadRequestTest, RefusesNumbersBelowOne) {
  LoadOptions options;
  options.threads = 0;
  EXPECT_TRUE(absl::IsInvalidArgument(CheckLoadRequest(kEngine, "onnx", options)));
  options = {};
  options.instances = 0;
  EXPECT_TRUE(absl::IsInvalidArgument(CheckLoadRequest(kEngine, "onnx", options)));
  options = {};
  options.batch_sizes = {1, 0};
  EXPECT_TRUE(absl::IsInvalidArgument(CheckLoadRequest(kEngine, "onnx", options)));
}

TEST(CheckDeviceTest, SaysWhatIsMissing) {
  EXPECT_TRUE(CheckDevice(kEngine, "cpu", "f32").ok());
  EXPECT_EQ(CheckDevice(kEngine, "cuda", "f32"),
            absl::FailedPreconditionError("cannot use the device 'cuda': libcuda.so.1 not found"));
  EXPECT_EQ(CheckDevice(kEngine, "tpu", "f32"),
            absl::FailedPreconditionError("has no device 'tpu'; it knows cpu, cuda"));
  EXPECT_EQ(CheckDevice(kEngine, "cpu", "bf16"),
            absl::FailedPreconditionError(
                "does not run the precision 'bf16' on the device 'cpu' of this machine; it runs f32"));
}

TEST(CheckOptionNamesTest, NamesTheUnknownOption) {
  constexpr absl::string_view kKnown[] = {"fp16", "int8"};
  EXPECT_TRUE(CheckOptionNames("tensorrt", {{"fp16", "1"}}, kKnown).ok());
  EXPECT_EQ(CheckOptionNames("tensorrt", {{"fp32", "1"}}, kKnown),
            absl::InvalidArgumentError("tensorrt has no option 'fp32'; it has fp16, int8"));
  EXPECT_EQ(CheckOptionNames("cpu", {{"fp32", "1"}}, {}),
            absl::InvalidArgumentError("cpu has no option 'fp32'; it has none"));
}

TEST(NarrowSignatureTest, PutsShapesInAndLeavesTheBatchOpen) {
  LoadOptions options;
  options.batch_sizes = {1, 8};
  options.input_shapes = {{"image", {1, 2, 9}}};
  const absl::StatusOr<ModelSignature> narrowed = NarrowSignature(kOpenBatch, options);
  ASSERT_TRUE(narrowed.ok()) << narrowed.status();
  EXPECT_EQ(narrowed->inputs[0].shape, Shape({kDynamicDim, 2, 9}));
}

TEST(NarrowSignatureTest, TakesAShapeWithoutANameForTheOnlyInput) {
  LoadOptions options;
  options.input_shapes = {{"", {kDynamicDim, 2, 9}}};
  EXPECT_EQ(NarrowSignature(kOpenBatch, options)->inputs[0].shape, Shape({kDynamicDim, 2, 9}));
  ModelSignature two = kOpenBatch;
  two.inputs.push_back({"mask", DataType::kUint8, {kDynamicDim, 2, kDynamicDim}});
  EXPECT_TRUE(absl::IsInvalidArgument(NarrowSignature(two, options).status()));
}

TEST(NarrowSignatureTest, RefusesWhatDoesNotFit) {
  LoadOptions options;
  options.input_shapes = {{"picture", {1, 2, 9}}};
  EXPECT_THAT(NarrowSignature(kOpenBatch, options).status().message(),
              HasSubstr("'picture', which is not an input"));
  for (const Shape& shape :
       {Shape{1, 3, 9}, Shape{1, 2}, Shape{1, 2, 0}, Shape{1, 2, kDynamicDim}, Shape{}}) {
    options.input_shapes = {{"image", shape}};
    EXPECT_TRUE(absl::IsInvalidArgument(NarrowSignature(kOpenBatch, options).status())) << shape.ToString();
  }
}

TEST(NarrowSignatureTest, RefusesABatchThatTheModelsFixedAxisExcludes) {
  LoadOptions options;
  options.batch_sizes = {1};
  EXPECT_TRUE(NarrowSignature(kFixedBatch, options).ok());
  options.batch_sizes = {1, 4};
  EXPECT_THAT(NarrowSignature(kFixedBatch, options).status().message(), HasSubstr("batch size 4"));
}

TEST(CheckInputsTest, AcceptsAnyOpenDimensionWithoutBatchSizes) {
  std::vector<std::byte> bytes(3 * 2 * 5);
  const TensorView input = View(bytes, {3, 2, 5});
  EXPECT_TRUE(CheckInputs(kOpenBatch, {}, {&input, 1}).ok());
  EXPECT_EQ(BatchOf(kOpenBatch, {&input, 1}), 3);
}

TEST(CheckInputsTest, RefusesEveryKindOfMisfit) {
  std::vector<std::byte> bytes(4);
  EXPECT_THAT(CheckInputs(kFixedBatch, {}, {}).message(), HasSubstr("takes 1 inputs, not 0"));
  const TensorView wrong_type = View(bytes, {1, 2, 2}, DataType::kInt8);
  EXPECT_THAT(CheckInputs(kFixedBatch, {}, {&wrong_type, 1}).message(),
              HasSubstr("is INT8, the model takes UINT8"));
  const TensorView wrong_shape = View(bytes, {1, 4, 1});
  EXPECT_THAT(CheckInputs(kFixedBatch, {}, {&wrong_shape, 1}).message(),
              HasSubstr("shape [1,4,1], the model takes [1,2,2]"));
  const TensorView negative = View(bytes, {1, 2, -2});
  EXPECT_THAT(CheckInputs(kOpenBatch, {}, {&negative, 1}).message(), HasSubstr("[1,2,-2]"));
  const TensorView empty = View(bytes, {1, 2, 0});
  EXPECT_THAT(CheckInputs(kOpenBatch, {}, {&empty, 1}).message(), HasSubstr("no elements"));
  const TensorView short_data = View(bytes, {1, 2, 3});
  EXPECT_THAT(CheckInputs(kOpenBatch, {}, {&short_data, 1}).message(), HasSubstr("brings 4 bytes"));
  const int64_t huge = std::numeric_limits<int64_t>::max() / 2;
  const TensorView overflowing = View(bytes, {huge, 2, huge});
  EXPECT_TRUE(absl::IsInvalidArgument(CheckInputs(kOpenBatch, {}, {&overflowing, 1})));
}

TEST(CheckInputsTest, HoldsTheBatchToTheSizesTheModelWasLoadedFor) {
  std::vector<std::byte> bytes(3 * 2);
  const TensorView three = View(bytes, {3, 2, 1});
  EXPECT_TRUE(CheckInputs(kOpenBatch, {1, 3}, {&three, 1}).ok());
  EXPECT_THAT(CheckInputs(kOpenBatch, {1, 2, 4}, {&three, 1}).message(),
              HasSubstr("has 3 rows; the model is loaded for batches of 1, 2, 4"));
}

TEST(CheckInputsTest, WantsTheSameBatchInAllInputs) {
  const ModelSignature two = {
      {{"a", DataType::kUint8, {kDynamicDim}}, {"b", DataType::kUint8, {kDynamicDim}}}, {}};
  std::vector<std::byte> one_byte(1);
  std::vector<std::byte> two_bytes(2);
  const TensorView inputs[] = {View(one_byte, {1}), View(two_bytes, {2})};
  EXPECT_THAT(CheckInputs(two, {1, 2}, inputs).message(), HasSubstr("'b' has 2 rows, another input has 1"));
}

TEST(CodeOfFailedRunTest, BlamesTheCallerOnlyWhereAShapeIsTheirChoice) {
  EXPECT_EQ(CodeOfFailedRun(kOpenBatch), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOfFailedRun(kFixedBatch), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace waystone
