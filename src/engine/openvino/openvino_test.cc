// SPDX-License-Identifier: Apache-2.0
//
// What is OpenVINO's own; what every adapter promises is in engine_contract_test.cc.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/engine_testing.h"
#include "support/test_data.h"
#include "support/tiny_onnx.h"

namespace waystone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kBlazeFace[] = "models/blazeface/face_detection_short_range.tflite";
constexpr char kSelfie[] = "models/selfie-segmentation/selfie_segmentation.tflite";
constexpr char kXFeat[] = "models/xfeat-vga/xfeat_vga.onnx";

// output = input + the four floats of the .bin file.
constexpr char kIrModel[] = R"(<?xml version="1.0"?>
<net name="tiny" version="11">
  <layers>
    <layer id="0" name="input" type="Parameter" version="opset1">
      <data shape="?,4" element_type="f32"/>
      <output><port id="0" precision="FP32" names="input"><dim>-1</dim><dim>4</dim></port></output>
    </layer>
    <layer id="1" name="weights" type="Const" version="opset1">
      <data element_type="f32" shape="1, 4" offset="0" size="16"/>
      <output><port id="0" precision="FP32"><dim>1</dim><dim>4</dim></port></output>
    </layer>
    <layer id="2" name="sum" type="Add" version="opset1">
      <data auto_broadcast="numpy"/>
      <input><port id="0"><dim>-1</dim><dim>4</dim></port><port id="1"><dim>1</dim><dim>4</dim></port></input>
      <output><port id="2" precision="FP32" names="output"><dim>-1</dim><dim>4</dim></port></output>
    </layer>
    <layer id="3" name="result" type="Result" version="opset1">
      <input><port id="0"><dim>-1</dim><dim>4</dim></port></input>
    </layer>
  </layers>
  <edges>
    <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
    <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
    <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
  </edges>
</net>)";

class OpenVinoTest : public ::testing::Test {
 protected:
  void SetUp() override {
    WAYSTONE_SKIP_WITHOUT_ENGINE("openvino");
    engine_ = *TestEngines().Find("openvino");
    folder_ = ::testing::TempDir() + "/waystone_openvino_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  void WriteWeights(const std::string& name) const {
    const float weights[] = {1, 2, 3, 4};
    std::ofstream(folder_ + "/" + name, std::ios::binary)
        .write(reinterpret_cast<const char*>(weights), sizeof(weights));
  }
  absl::Status LoadIr(const std::string& folder) const {
    return engine_->Load(kIrModel, "ir", folder, {}).status();
  }

  const Engine* engine_ = nullptr;
  std::string folder_;
};

TEST_F(OpenVinoTest, ReadsIrWithTheWeightsBesideIt) {
  WriteWeights("tiny.bin");
  const auto model = engine_->Load(kIrModel, "ir", folder_, {});
  ASSERT_TRUE(model.ok()) << model.status();
  std::filesystem::remove(folder_ + "/tiny.bin");  // the model keeps what it needs
  const auto instance = *(*model)->CreateInstance();
  Tensor input = *Tensor::Create(DataType::kFloat32, {1, 4});
  const TensorView view = input.view();
  EXPECT_THAT(RunToFloats(*instance, {&view, 1})[0], ElementsAre(1, 2, 3, 4));
}

TEST_F(OpenVinoTest, SaysWhatItMissesOfAnIrModel) {
  EXPECT_THAT(std::string(LoadIr("").message()), HasSubstr("needs its folder"));
  EXPECT_THAT(std::string(LoadIr(folder_).message()), HasSubstr("has no .bin"));
  EXPECT_THAT(std::string(LoadIr(folder_ + "/absent").message()), HasSubstr("cannot list"));
  WriteWeights("one.bin");
  WriteWeights("two.bin");
  EXPECT_THAT(std::string(LoadIr(folder_).message()), HasSubstr("more than one .bin"));
}

TEST_F(OpenVinoTest, RefusesBytesThatAreNoIrModel) {
  WriteWeights("tiny.bin");
  EXPECT_TRUE(absl::IsInvalidArgument(engine_->Load("no model", "ir", folder_, {}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(
      engine_->Load(std::string_view(kIrModel).substr(0, 700), "ir", folder_, {}).status()));
}

TEST_F(OpenVinoTest, RefusesIrWhoseWeightsAreTooShort) {
  std::ofstream(folder_ + "/short.bin") << "1234";
  EXPECT_TRUE(absl::IsInvalidArgument(LoadIr(folder_))) << LoadIr(folder_);
}

TEST_F(OpenVinoTest, ReadsTensorFlowLite) {
  WAYSTONE_SKIP_WITHOUT_DATA(kBlazeFace);
  const auto model = engine_->Load(ReadTestFile(TestDataPath(kBlazeFace)), "tflite", "", {});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ((*model)->signature().inputs[0].shape, Shape({1, 128, 128, 3}));
  Tensor input = PatternTensor(DataType::kFloat32, {1, 128, 128, 3}, 3);
  const TensorView view = input.view();
  const auto outputs = RunToFloats(**(*model)->CreateInstance(), {&view, 1});
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[0].size(), 896U * 16);
}

TEST_F(OpenVinoTest, RefusesBytesThatAreNoTensorFlowLiteModel) {
  const absl::Status status = engine_->Load("no model", "tflite", "", {}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
}

TEST_F(OpenVinoTest, SaysWhichOperationItCannotConvert) {
  WAYSTONE_SKIP_WITHOUT_DATA(kXFeat);
  WAYSTONE_SKIP_WITHOUT_DATA(kSelfie);
  const absl::Status xfeat = engine_->Load(ReadTestFile(TestDataPath(kXFeat)), "onnx", "", {}).status();
  EXPECT_TRUE(absl::IsUnimplemented(xfeat)) << xfeat;
  EXPECT_THAT(std::string(xfeat.message()), HasSubstr("_aten_unfold_onnx"));
  const absl::Status selfie = engine_->Load(ReadTestFile(TestDataPath(kSelfie)), "tflite", "", {}).status();
  EXPECT_TRUE(absl::IsUnimplemented(selfie)) << selfie;
  EXPECT_THAT(std::string(selfie.message()), HasSubstr("Convolution2DTransposeBias"));
}

TEST_F(OpenVinoTest, KeepsCompiledNetworksInTheCacheFolder) {
  LoadOptions options;
  options.cache_dir = folder_;
  const std::string tiny = TinyOnnx("Relu", OnnxType::kFloat, 4);
  ASSERT_TRUE(engine_->Load(tiny, "onnx", "", options).ok());
  EXPECT_FALSE(std::filesystem::is_empty(folder_));
  const auto cached = engine_->Load(tiny, "onnx", "", options);
  ASSERT_TRUE(cached.ok()) << cached.status();
  Tensor input = *Tensor::Create(DataType::kFloat32, {1, 4});
  input.As<float>()[1] = -1;
  input.As<float>()[2] = 5;
  const TensorView view = input.view();
  EXPECT_THAT(RunToFloats(**(*cached)->CreateInstance(), {&view, 1})[0], ElementsAre(0, 0, 5, 0));
}

}  // namespace
}  // namespace waystone
