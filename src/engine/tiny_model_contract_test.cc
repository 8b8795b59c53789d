// SPDX-License-Identifier: Apache-2.0
//
// What engine.h promises, asked of each adapter alike in each format it reads, on models of one operation
// that are written here and need no file. An adapter that this build or machine lacks skips.
#include <algorithm>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "support/engine_testing.h"
#include "support/tiny_onnx.h"
#include "support/tiny_tflite.h"

namespace waystone {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Adapter {
  const char* engine;
  const char* format;
};

// Types that a tensor can have and every format of the tests, too.
const std::map<DataType, std::pair<OnnxType, TfLiteType>> kTypes = {
    {DataType::kFloat32, {OnnxType::kFloat, TfLiteType::kFloat32}},
    {DataType::kUint8, {OnnxType::kUint8, TfLiteType::kUint8}},
    {DataType::kInt8, {OnnxType::kInt8, TfLiteType::kInt8}},
    {DataType::kInt32, {OnnxType::kInt32, TfLiteType::kInt32}},
    {DataType::kInt64, {OnnxType::kInt64, TfLiteType::kInt64}},
    {DataType::kFloat16, {OnnxType::kFloat16, TfLiteType::kFloat16}},
    {DataType::kBool, {OnnxType::kBool, TfLiteType::kBool}}};

class TinyModelContractTest : public ::testing::TestWithParam<Adapter> {
 protected:
  static constexpr int kWidth = 4;

  void SetUp() override {
    WAYSTONE_SKIP_WITHOUT_ENGINE(GetParam().engine);
    engine_ = *TestEngines().Find(GetParam().engine);
  }

  bool is_onnx() const { return std::string(GetParam().format) == "onnx"; }
  // output = input, both [open, kWidth].
  std::string Identity(DataType type = DataType::kFloat32) const {
    const auto& [onnx, tflite] = kTypes.at(type);
    return is_onnx() ? TinyOnnx("Identity", onnx, kWidth) : TinyTfLite(TinyIdentity(tflite, kWidth));
  }
  std::string IdentityOfStrings() const {
    return is_onnx() ? TinyOnnx("Identity", OnnxType::kString, kWidth)
                     : TinyTfLite(TinyIdentity(TfLiteType::kString, kWidth));
  }
  std::string UnknownOperation() const {
    return is_onnx() ? TinyOnnx("Frobnicate", OnnxType::kFloat, kWidth)
                     : TinyTfLite(TinyUnary(TfLiteOp::kCustom, TfLiteType::kFloat32, kWidth, "Frobnicate"));
  }

  absl::StatusOr<std::unique_ptr<Model>> Load(std::string_view bytes, const LoadOptions& options = {}) const {
    return engine_->Load(bytes, GetParam().format, "", options);
  }
  // A model that must load.
  std::unique_ptr<Model> Loaded(std::string_view bytes, const LoadOptions& options = {}) const {
    auto model = Load(bytes, options);
    EXPECT_TRUE(model.ok()) << model.status();
    return model.ok() ? *std::move(model) : nullptr;
  }

  const Engine* engine_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Adapters, TinyModelContractTest,
                         ::testing::Values(Adapter{"tflite", "tflite"}, Adapter{"openvino", "onnx"},
                                           Adapter{"openvino", "tflite"}, Adapter{"onnxruntime", "onnx"}),
                         [](const auto& parameter) {
                           return std::string(parameter.param.engine) + "_" + parameter.param.format;
                         });

TEST_P(TinyModelContractTest, NamesItselfItsFormatAndTheCpu) {
  const EngineInfo& info = engine_->info();
  EXPECT_EQ(info.name, GetParam().engine);
  EXPECT_THAT(info.version, Not(IsEmpty()));
  EXPECT_THAT(info.formats, Contains(GetParam().format));
  ASSERT_EQ(info.devices[0].name, "cpu");
  EXPECT_TRUE(info.devices[0].available);
  EXPECT_EQ(info.devices[0].precisions[0], "f32");
  for (const DeviceInfo& device : info.devices)
    EXPECT_EQ(device.available, device.reason.empty()) << device.name;
}

TEST_P(TinyModelContractTest, DescribesInputsAndOutputs) {
  const auto model = Loaded(Identity());
  ASSERT_NE(model, nullptr);
  ASSERT_EQ(model->signature().inputs.size(), 1U);
  EXPECT_EQ(model->signature().inputs[0].name, "input");
  EXPECT_EQ(model->signature().inputs[0].type, DataType::kFloat32);
  EXPECT_EQ(model->signature().inputs[0].shape, Shape({kDynamicDim, kWidth}));
  ASSERT_EQ(model->signature().outputs.size(), 1U);
  EXPECT_EQ(model->signature().outputs[0].name, "output");
  EXPECT_EQ(model->signature().outputs[0].shape, Shape({kDynamicDim, kWidth}));
  EXPECT_EQ(model->device(), "cpu");
  EXPECT_EQ(model->precision(), "f32");
}

TEST_P(TinyModelContractTest, PassesEveryElementTypeThroughUnchanged) {
  for (const auto& [type, in_formats] : kTypes) {
    SCOPED_TRACE(std::string(Name(type)));
    const auto model = Loaded(Identity(type));
    ASSERT_NE(model, nullptr);
    EXPECT_EQ(model->signature().inputs[0].type, type);
    Tensor input = *Tensor::Create(type, {2, kWidth});
    for (size_t i = 0; i < 2 * kWidth; ++i) {
      input.bytes()[i * ByteSize(type)] = static_cast<std::byte>(i % 2);
    }
    const TensorView view = input.view();
    const auto instance = *model->CreateInstance();
    const auto outputs = instance->Run({&view, 1});
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ((*outputs)[0].type, type);
    EXPECT_THAT((*outputs)[0].data, ElementsAreArray(input.bytes()));
  }
}

TEST_P(TinyModelContractTest, RunsAnyBatchWhenNoneIsNamed) {
  const auto model = Loaded(Identity());
  ASSERT_NE(model, nullptr);
  const auto instance = *model->CreateInstance();
  for (const int64_t batch : {3, 1, 2, 3}) {
    Tensor input = PatternTensor(DataType::kFloat32, {batch, kWidth}, static_cast<uint32_t>(batch));
    const TensorView view = input.view();
    const auto outputs = instance->Run({&view, 1});
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ((*outputs)[0].shape, Shape({batch, kWidth}));
    EXPECT_THAT((*outputs)[0].data, ElementsAreArray(input.bytes()));
  }
}

TEST_P(TinyModelContractTest, RunsTheBatchesThatAreNamedAndNoOther) {
  LoadOptions options;
  options.batch_sizes = {1, 3};
  const auto model = Loaded(Identity(), options);
  ASSERT_NE(model, nullptr);
  const auto instance = *model->CreateInstance();
  for (const int64_t batch : {3, 1, 3, 2}) {
    Tensor input = PatternTensor(DataType::kFloat32, {batch, kWidth}, 5);
    const TensorView view = input.view();
    const auto outputs = instance->Run({&view, 1});
    if (batch == 2) {
      EXPECT_TRUE(absl::IsInvalidArgument(outputs.status())) << outputs.status();
    } else {
      ASSERT_TRUE(outputs.ok()) << outputs.status();
      EXPECT_THAT((*outputs)[0].data, ElementsAreArray(input.bytes()));
    }
  }
}

TEST_P(TinyModelContractTest, ReadsTheMemoryAtEachRun) {
  const auto model = Loaded(Identity());
  ASSERT_NE(model, nullptr);
  const auto instance = *model->CreateInstance();
  Tensor input = PatternTensor(DataType::kFloat32, {1, kWidth}, 1);
  const TensorView view = input.view();
  ASSERT_TRUE(instance->Run({&view, 1}).ok());
  Tensor other = PatternTensor(DataType::kFloat32, {1, kWidth}, 2);
  std::copy(other.bytes().begin(), other.bytes().end(), input.bytes().begin());
  const auto outputs = instance->Run({&view, 1});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_THAT((*outputs)[0].data, ElementsAreArray(other.bytes()));
}

TEST_P(TinyModelContractTest, RefusesInputsThatDoNotFitAndRunsTheNextOnes) {
  const auto model = Loaded(Identity());
  ASSERT_NE(model, nullptr);
  const auto instance = *model->CreateInstance();
  Tensor input = PatternTensor(DataType::kFloat32, {1, kWidth}, 5);
  const TensorView good = input.view();
  TensorView wrong_type = good;
  wrong_type.type = DataType::kInt32;
  TensorView wrong_shape = good;
  wrong_shape.shape = {kWidth, 1};
  TensorView wrong_rank = good;
  wrong_rank.shape = {kWidth};
  TensorView short_data = good;
  short_data.data = short_data.data.first(short_data.data.size() - 4);
  TensorView no_rows = good;
  no_rows.shape = {0, kWidth};
  no_rows.data = {};
  for (const TensorView& bad : {wrong_type, wrong_shape, wrong_rank, short_data, no_rows}) {
    EXPECT_TRUE(absl::IsInvalidArgument(instance->Run({&bad, 1}).status())) << bad.shape.ToString();
  }
  EXPECT_TRUE(absl::IsInvalidArgument(instance->Run({}).status()));
  const auto outputs = instance->Run({&good, 1});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_THAT((*outputs)[0].data, ElementsAreArray(input.bytes()));
}

TEST_P(TinyModelContractTest, RunsTwoInstancesAtOnceAsOneAlone) {
  LoadOptions options;
  options.instances = 2;
  const auto model = Loaded(Identity(), options);
  ASSERT_NE(model, nullptr);
  std::vector<int> wrong(2);
  std::vector<std::thread> threads;
  for (size_t which = 0; which < 2; ++which) {
    threads.emplace_back([&, which] {
      const auto instance = *model->CreateInstance();
      for (uint32_t run = 0; run < 200; ++run) {
        const int64_t batch = 1 + run % 3;
        Tensor input =
            PatternTensor(DataType::kFloat32, {batch, kWidth}, 2 * run + static_cast<uint32_t>(which));
        const TensorView view = input.view();
        const auto outputs = instance->Run({&view, 1});
        if (!outputs.ok() || !std::ranges::equal((*outputs)[0].data, input.bytes())) ++wrong[which];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, Each(0));
}

TEST_P(TinyModelContractTest, RefusesBytesThatAreNoModel) {
  const std::string whole = Identity();
  for (const std::string& bytes :
       {whole.substr(0, whole.size() / 2), whole.substr(0, 20), std::string("no model"), std::string()}) {
    const absl::Status status = Load(bytes).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << bytes.size() << " bytes: " << status;
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("\n")));
  }
  EXPECT_TRUE(Load(whole).ok());
}

TEST_P(TinyModelContractTest, RefusesElementTypesThatATensorCannotHave) {
  const absl::Status status = Load(IdentityOfStrings()).status();
  EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
}

TEST_P(TinyModelContractTest, RefusesAnOperationItDoesNotKnow) {
  const absl::Status status = Load(UnknownOperation()).status();
  EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("Frobnicate"));
}

TEST_P(TinyModelContractTest, RunsAPrecisionOnlyWhereTheMachineHasIt) {
  const std::vector<std::string>& precisions = engine_->info().devices[0].precisions;
  for (const std::string precision : {"f32", "bf16", "f16", "f8", ""}) {
    LoadOptions options;
    options.precision = precision;
    const auto model = Load(Identity(), options);
    if (std::find(precisions.begin(), precisions.end(), precision) == precisions.end()) {
      EXPECT_TRUE(absl::IsFailedPrecondition(model.status())) << precision << ": " << model.status();
    } else {
      ASSERT_TRUE(model.ok()) << precision << ": " << model.status();
      EXPECT_EQ((*model)->precision(), precision);
    }
  }
}

TEST_P(TinyModelContractTest, RefusesUnknownDevicesFormatsAndOptions) {
  LoadOptions options;
  options.device = "tpu";
  EXPECT_TRUE(absl::IsFailedPrecondition(Load(Identity(), options).status()));
  EXPECT_TRUE(absl::IsUnimplemented(engine_->Load(Identity(), "caffe", "", {}).status()));
  options = {};
  options.device_options = {{"turbo", "on"}};
  const absl::Status status = Load(Identity(), options).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("'turbo'"));
}

TEST_P(TinyModelContractTest, RefusesEachDeviceThatIsMissingWithItsReason) {
  for (const DeviceInfo& device : engine_->info().devices) {
    if (device.available) continue;
    LoadOptions options;
    options.device = device.name;
    const absl::Status status = Load(Identity(), options).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << device.name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(device.reason));
  }
}

}  // namespace
}  // namespace waystone
