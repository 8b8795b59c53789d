// SPDX-License-Identifier: Apache-2.0
//
// The TensorFlow Lite models of the test data on the engines that read them, against golden answers and
// against each other. The goldens were made by TensorFlow Lite (compiled to WebAssembly, with XNNPACK); the
// file of selfie segmentation has none of its own and is held against that of its ONNX conversion. OpenVINO's
// reader lacks an operation of that file and has to say so.
//
// Tolerances: golden_compare.h; for 8-bit outputs one step on TensorFlow Lite and ten on OpenVINO or between
// the two, whose integer arithmetic rounds otherwise. The pictures are the golden ones and, between engines,
// a pattern: every value of every output.
#include <filesystem>

#include "absl/strings/str_replace.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/load_model.h"
#include "integration/golden_case.h"
#include "integration/golden_compare.h"
#include "support/engine_testing.h"
#include "support/test_data.h"

namespace waystone {
namespace {

using ::testing::HasSubstr;

struct TfLiteGolden {
  GoldenRecipe recipe;
  const char* model;                      // in the test data
  const char* not_in_openvino = nullptr;  // the operation that it lacks
};

constexpr double kStepsApart = 16;
constexpr float kUnit = 1 / 255.0F;
constexpr float kSigned = 1 / 127.5F;
const TfLiteGolden kGoldens[] = {
    {{"models/blazeface/golden/golden_tflite.json", ColorOrder::kRgb, Layout::kNhwc, kSigned, {1, 1, 1}},
     "models/blazeface/face_detection_short_range.tflite"},
    {{"models/mobilenet-v1-0.25-128-imagenet-int8/golden/golden_tflite.json", ColorOrder::kRgb,
      Layout::kNhwc},
     "models/mobilenet-v1-0.25-128-imagenet-int8/mobilenet_v1_0.25_128_quant.tflite"},
    {{"models/selfie-segmentation/golden/golden.json", ColorOrder::kRgb, Layout::kNhwc, kUnit},
     "models/selfie-segmentation/selfie_segmentation.tflite",
     "Convolution2DTransposeBias"},
    {{"models/yolox-nano-coco/golden/golden_tflite.json", ColorOrder::kBgr, Layout::kNchw},
     "models/yolox-nano-coco/yolox_nano_fp16.tflite"},
};

class GoldenTfLiteTest : public ::testing::TestWithParam<TfLiteGolden> {
 protected:
  void SetUp() override {
    WAYSTONE_SKIP_WITHOUT_DATA(GetParam().recipe.golden);
    WAYSTONE_SKIP_WITHOUT_DATA(GetParam().model);
    golden_ = ReadGolden(GetParam().recipe);
    ASSERT_EQ(golden_.inputs.size(), 1U);
    bytes_ = ReadTestFile(TestDataPath(GetParam().model));
  }

  absl::StatusOr<std::unique_ptr<Model>> Load(const std::string& engine) const {
    LoadOptions options;
    options.batch_sizes = {1};
    return (*TestEngines().Find(engine))->Load(bytes_, "tflite", "", options);
  }

  // Runs the golden input, which every output is held against.
  void CheckAgainstGolden(const std::string& engine, double steps) {
    const auto model = Load(engine);
    ASSERT_TRUE(model.ok()) << model.status();
    const auto instance = *(*model)->CreateInstance();
    const TensorView view = golden_.inputs[0].tensor.view();
    const auto outputs = instance->Run({&view, 1});
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    ASSERT_EQ(outputs->size(), golden_.outputs.size());
    double largest = 0;
    for (size_t i = 0; i < outputs->size(); ++i) {
      EXPECT_EQ((*model)->signature().outputs[i].name, golden_.outputs[i].name);
      largest = std::max(largest, CompareWithGolden(golden_.outputs[i], (*outputs)[i], steps));
    }
    ReportDifference(engine + " against the golden", GetParam().model, largest);
  }

  GoldenCase golden_;
  std::string bytes_;
};

INSTANTIATE_TEST_SUITE_P(Models, GoldenTfLiteTest, ::testing::ValuesIn(kGoldens), [](const auto& parameter) {
  return absl::StrReplaceAll(std::filesystem::path(parameter.param.model).stem().string(),
                             {{"-", "_"}, {".", "_"}});
});

TEST_P(GoldenTfLiteTest, AnswersAsTheGoldenOnTensorFlowLite) {
  WAYSTONE_SKIP_WITHOUT_ENGINE("tflite");
  CheckAgainstGolden("tflite", 1);
}

TEST_P(GoldenTfLiteTest, AnswersAsTheGoldenOnOpenVinoOrSaysWhatThatLacks) {
  WAYSTONE_SKIP_WITHOUT_ENGINE("openvino");
  if (GetParam().not_in_openvino == nullptr) {
    CheckAgainstGolden("openvino", 10);
    return;
  }
  const absl::Status status = Load("openvino").status();
  EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().not_in_openvino));
}

TEST_P(GoldenTfLiteTest, AnswersAlikeOnTensorFlowLiteAndOpenVino) {
  WAYSTONE_SKIP_WITHOUT_ENGINE("tflite");
  WAYSTONE_SKIP_WITHOUT_ENGINE("openvino");
  if (GetParam().not_in_openvino != nullptr) GTEST_SKIP() << "OpenVINO lacks " << GetParam().not_in_openvino;
  const auto one = Load("tflite");
  const auto other = Load("openvino");
  ASSERT_TRUE(one.ok() && other.ok()) << one.status() << other.status();
  const ModelSignature& signature = (*one)->signature();
  ASSERT_EQ((*other)->signature().inputs[0].shape, signature.inputs[0].shape);
  const auto one_instance = *(*one)->CreateInstance();
  const auto other_instance = *(*other)->CreateInstance();
  Tensor pattern = PatternTensor(signature.inputs[0].type, signature.inputs[0].shape, 5);
  double largest = 0;
  for (const TensorView& view : {golden_.inputs[0].tensor.view(), pattern.view()}) {
    largest = std::max(largest, CompareOutputs(signature, RunToFloats(*one_instance, {&view, 1}),
                                               RunToFloats(*other_instance, {&view, 1}), kStepsApart));
  }
  ReportDifference("engines against each other", GetParam().model, largest);
}

// The engine that runs all of them is the one that is taken where the configuration names none.
TEST_P(GoldenTfLiteTest, RunsOnTensorFlowLiteUnlessToldOtherwise) {
  WAYSTONE_SKIP_WITHOUT_ENGINE("tflite");
  const auto loaded = LoadModel(TestEngines(), {}, {"model", bytes_, "tflite", ""}, {}, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->engine, "tflite");
}

}  // namespace
}  // namespace waystone
