// SPDX-License-Identifier: Apache-2.0
//
// What engine.h promises, asked of each adapter that reads ONNX, on models of the test data; an adapter that
// this build lacks skips. tiny_model_contract_test.cc asks those of every format, on models that need no
// file.
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "support/engine_testing.h"
#include "support/test_data.h"
#include "support/tiny_onnx.h"

namespace waystone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSqueezeNet[] = "models/squeezenet1.1-imagenet/squeezenet1.1_fp32.onnx";
constexpr char kSqueezeNetHalf[] = "models/squeezenet1.1-imagenet/squeezenet1.1_fp16.onnx";
constexpr char kMobileNet[] =
    "models/mobilenet-v1-0.25-128-imagenet-int8/mobilenet_v1_0.25_128_quant_qdq.onnx";
constexpr char kYolox[] = "models/yolox-nano-coco/yolox_nano.onnx";
constexpr char kYuNet[] = "models/yunet-n/yunet_n_dynamic.onnx";

class EngineContractTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    WAYSTONE_SKIP_WITHOUT_ENGINE(GetParam());
    engine_ = *TestEngines().Find(GetParam());
  }

  absl::StatusOr<std::unique_ptr<Model>> Load(std::string_view bytes, const LoadOptions& options = {}) const {
    return engine_->Load(bytes, "onnx", "", options);
  }

  // A model of the test data, which must load.
  std::unique_ptr<Model> LoadFile(const std::string& path, const LoadOptions& options = {}) const {
    auto model = Load(ReadTestFile(TestDataPath(path)), options);
    EXPECT_TRUE(model.ok()) << model.status();
    return model.ok() ? *std::move(model) : nullptr;
  }

  const Engine* engine_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Adapters, EngineContractTest, ::testing::Values("openvino", "onnxruntime"),
                         [](const auto& parameter) { return std::string(parameter.param); });

TEST_P(EngineContractTest, DescribesInputsAndOutputs) {
  WAYSTONE_SKIP_WITHOUT_DATA(kSqueezeNet);
  const auto model = LoadFile(kSqueezeNet);
  ASSERT_NE(model, nullptr);
  ASSERT_EQ(model->signature().inputs.size(), 1U);
  EXPECT_EQ(model->signature().inputs[0].name, "data_0");
  EXPECT_EQ(model->signature().inputs[0].type, DataType::kFloat32);
  EXPECT_EQ(model->signature().inputs[0].shape, Shape({kDynamicDim, 3, 224, 224}));
  ASSERT_EQ(model->signature().outputs.size(), 1U);
  EXPECT_EQ(model->signature().outputs[0].name, "softmaxout_1");
  EXPECT_EQ(model->signature().outputs[0].shape, Shape({kDynamicDim, 1000, 1, 1}));
  EXPECT_EQ(model->device(), "cpu");
  EXPECT_EQ(model->precision(), "f32");
}

TEST_P(EngineContractTest, NarrowsOpenDimensionsToTheShapesItIsGiven) {
  WAYSTONE_SKIP_WITHOUT_DATA(kYolox);
  LoadOptions options;
  options.input_shapes = {{"images", {1, 3, 416, 416}}};
  const auto model = LoadFile(kYolox, options);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->signature().inputs[0].shape, Shape({kDynamicDim, 3, 416, 416}));
  const auto instance = *model->CreateInstance();
  Tensor other_size = PatternTensor(DataType::kFloat32, {1, 3, 320, 320}, 1);
  const TensorView view = other_size.view();
  EXPECT_TRUE(absl::IsInvalidArgument(instance->Run({&view, 1}).status()));
}

TEST_P(EngineContractTest, RunsAnyBatchWhenNoneIsNamed) {
  WAYSTONE_SKIP_WITHOUT_DATA(kMobileNet);
  const auto model = LoadFile(kMobileNet);
  ASSERT_NE(model, nullptr);
  const auto instance = *model->CreateInstance();
  for (const int64_t batch : {3, 1, 2}) {
    Tensor input = PatternTensor(DataType::kUint8, {batch, 128, 128, 3}, 7);
    const TensorView view = input.view();
    const auto outputs = instance->Run({&view, 1});
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ((*outputs)[0].shape, Shape({batch, 1001}));
    EXPECT_EQ((*outputs)[0].type, DataType::kUint8);
  }
}

TEST_P(EngineContractTest, AnswersABatchAsItsRowsAlone) {
  WAYSTONE_SKIP_WITHOUT_DATA(kSqueezeNet);
  LoadOptions options;
  options.batch_sizes = {1, 3};
  const auto model = LoadFile(kSqueezeNet, options);
  ASSERT_NE(model, nullptr);
  const auto instance = *model->CreateInstance();
  Tensor three = PatternTensor(DataType::kFloat32, {3, 3, 224, 224}, 11);
  const TensorView view = three.view();
  const auto together = RunToFloats(*instance, {&view, 1});
  ASSERT_EQ(together.size(), 1U);
  ASSERT_EQ(together[0].size(), 3000U);
  for (int64_t row = 0; row < 3; ++row) {
    const TensorView one = {DataType::kFloat32, {1, 3, 224, 224}, three.row(row)};
    const auto alone = RunToFloats(*instance, {&one, 1});
    const std::span<const float> same_row(together[0].data() + row * 1000, 1000);
    EXPECT_LE(LargestDifference(alone[0], same_row), 1e-5F * RangeOf(alone[0])) << "row " << row;
  }
}

TEST_P(EngineContractTest, ReadsTheCallersMemoryInPlace) {
  WAYSTONE_SKIP_WITHOUT_DATA(kSqueezeNet);
  const auto model = LoadFile(kSqueezeNet);
  ASSERT_NE(model, nullptr);
  const auto instance = *model->CreateInstance();
  Tensor input = PatternTensor(DataType::kFloat32, {1, 3, 224, 224}, 1);
  const TensorView view = input.view();
  const auto first = RunToFloats(*instance, {&view, 1});
  Tensor other = PatternTensor(DataType::kFloat32, {1, 3, 224, 224}, 2);
  std::copy(other.bytes().begin(), other.bytes().end(), input.bytes().begin());
  const auto second = RunToFloats(*instance, {&view, 1});
  EXPECT_GT(LargestDifference(first[0], second[0]), 0);
  const TensorView other_view = other.view();
  EXPECT_EQ(RunToFloats(*instance, {&other_view, 1}), second);
}

TEST_P(EngineContractTest, RefusesInputsThatDoNotFitAndRunsTheNextOnes) {
  WAYSTONE_SKIP_WITHOUT_DATA(kSqueezeNet);
  LoadOptions options;
  options.batch_sizes = {1, 2};
  const auto model = LoadFile(kSqueezeNet, options);
  ASSERT_NE(model, nullptr);
  const auto instance = *model->CreateInstance();
  Tensor input = PatternTensor(DataType::kFloat32, {1, 3, 224, 224}, 5);
  const TensorView good = input.view();
  const auto before = RunToFloats(*instance, {&good, 1});

  TensorView wrong_type = good;
  wrong_type.type = DataType::kInt32;
  TensorView wrong_shape = good;
  wrong_shape.shape = {1, 224, 224, 3};
  TensorView wrong_rank = good;
  wrong_rank.shape = {3, 224, 224};
  TensorView short_data = good;
  short_data.data = short_data.data.first(short_data.data.size() - 4);
  Tensor three_rows = PatternTensor(DataType::kFloat32, {3, 3, 224, 224}, 5);
  TensorView no_rows = good;
  no_rows.shape = {0, 3, 224, 224};
  no_rows.data = {};
  for (const TensorView& bad :
       {wrong_type, wrong_shape, wrong_rank, short_data, three_rows.view(), no_rows}) {
    EXPECT_TRUE(absl::IsInvalidArgument(instance->Run({&bad, 1}).status())) << bad.shape.ToString();
  }
  EXPECT_TRUE(absl::IsInvalidArgument(instance->Run({}).status()));
  EXPECT_EQ(RunToFloats(*instance, {&good, 1}), before);
}

TEST_P(EngineContractTest, SurvivesAShapeThatTheNetworkInsideCannotTake) {
  WAYSTONE_SKIP_WITHOUT_DATA(kYuNet);
  const auto model = LoadFile(kYuNet);
  ASSERT_NE(model, nullptr);
  const auto instance = *model->CreateInstance();
  Tensor good = PatternTensor(DataType::kFloat32, {1, 3, 64, 96}, 3);
  const TensorView good_view = good.view();
  const auto before = RunToFloats(*instance, {&good_view, 1});
  Tensor odd = PatternTensor(DataType::kFloat32, {1, 3, 33, 47}, 3);  // its scales no longer meet
  const TensorView odd_view = odd.view();
  EXPECT_TRUE(absl::IsInvalidArgument(instance->Run({&odd_view, 1}).status()));
  EXPECT_EQ(RunToFloats(*instance, {&good_view, 1}), before);
}

TEST_P(EngineContractTest, RefusesBytesThatAreNoModel) {
  WAYSTONE_SKIP_WITHOUT_DATA(kSqueezeNet);
  const std::string whole = ReadTestFile(TestDataPath(kSqueezeNet));
  for (const std::string& bytes :
       {whole.substr(0, whole.size() / 2), whole.substr(0, 100), std::string("no model"), std::string()}) {
    const absl::Status status = Load(bytes).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << bytes.size() << " bytes: " << status;
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("\n")));
  }
  EXPECT_TRUE(Load(whole).ok());
}

TEST_P(EngineContractTest, RunsTwoInstancesAtOnceAsOneAlone) {
  WAYSTONE_SKIP_WITHOUT_DATA(kMobileNet);
  LoadOptions options;
  options.instances = 2;
  options.batch_sizes = {1};
  const auto model = LoadFile(kMobileNet, options);
  ASSERT_NE(model, nullptr);
  Tensor inputs[] = {PatternTensor(DataType::kUint8, {1, 128, 128, 3}, 21),
                     PatternTensor(DataType::kUint8, {1, 128, 128, 3}, 22)};
  std::vector<std::vector<std::vector<float>>> alone;
  for (Tensor& input : inputs) {
    const TensorView view = input.view();
    alone.push_back(RunToFloats(**model->CreateInstance(), {&view, 1}));
  }
  std::vector<int> different(2);
  std::vector<std::thread> threads;
  for (size_t which = 0; which < 2; ++which) {
    threads.emplace_back([&, which] {
      const auto instance = *model->CreateInstance();
      const TensorView view = inputs[which].view();
      for (int run = 0; run < 50; ++run) {
        if (RunToFloats(*instance, {&view, 1}) != alone[which]) ++different[which];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(different, ElementsAre(0, 0));
}

TEST_P(EngineContractTest, RunsAHalfPrecisionModelOnHalfPrecisionTensors) {
  WAYSTONE_SKIP_WITHOUT_DATA(kSqueezeNetHalf);
  const auto model = LoadFile(kSqueezeNetHalf);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->signature().inputs[0].type, DataType::kFloat16);
  const auto instance = *model->CreateInstance();
  Tensor input = PatternTensor(DataType::kFloat16, {1, 3, 224, 224}, 4);
  const TensorView view = input.view();
  const auto outputs = RunToFloats(*instance, {&view, 1});
  float sum = 0;
  for (const float probability : outputs[0]) sum += probability;
  EXPECT_NEAR(sum, 1, 0.01);
}

TEST_P(EngineContractTest, ReadsNoWeightsFromOutsideTheModelsFolder) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "waystone_outside" / GetParam();
  std::filesystem::create_directories(folder / "model");
  std::ofstream(folder / "secret.raw") << "sixteen bytes of";
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  for (const std::string& location : {std::string("../secret.raw"), (folder / "secret.raw").string()}) {
    EXPECT_FALSE(engine_->Load(TinyOnnxWithExternalWeights(location, 4), "onnx", folder / "model", {}).ok())
        << location;
  }
  // Bytes that come from no folder have none beside them, the current one included.
  EXPECT_FALSE(engine_->Load(TinyOnnxWithExternalWeights("secret.raw", 4), "onnx", "", {}).ok());
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
}

TEST_P(EngineContractTest, RefusesABatchThatTheModelExcludes) {
  WAYSTONE_SKIP_WITHOUT_DATA(kSqueezeNetHalf);
  LoadOptions options;
  options.batch_sizes = {2};
  const absl::Status status = Load(ReadTestFile(TestDataPath(kSqueezeNetHalf)), options).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
}

}  // namespace
}  // namespace waystone
