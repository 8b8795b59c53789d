// SPDX-License-Identifier: Apache-2.0
//
// What is ONNX Runtime's own; what every adapter promises is in engine_contract_test.cc.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/engine_testing.h"
#include "support/test_data.h"
#include "support/tiny_onnx.h"

namespace waystone {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kXFeat[] = "models/xfeat-vga/xfeat_vga.onnx";

class OnnxRuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    WAYSTONE_SKIP_WITHOUT_ENGINE("onnxruntime");
    engine_ = *TestEngines().Find("onnxruntime");
  }
  const Engine* engine_ = nullptr;
};

// The reason why ONNX Runtime is missing when its library is to be `path`.
std::string ReasonWithLibrary(const char* path) {
  setenv("WAYSTONE_ONNXRUNTIME", path, 1);
  const EngineRegistry registry = EngineRegistry::Open(WAYSTONE_BINARY_DIR "/lib/waystone/engines");
  unsetenv("WAYSTONE_ONNXRUNTIME");
  return std::string(registry.Find("onnxruntime").status().message());
}

TEST_F(OnnxRuntimeTest, SaysWhatIsWrongWithTheLibraryItIsToldToUse) {
  EXPECT_THAT(ReasonWithLibrary("/nowhere/libonnxruntime.so"),
              AllOf(HasSubstr("/nowhere/libonnxruntime.so"), HasSubstr("No such file")));
  EXPECT_THAT(ReasonWithLibrary("libc.so.6"), HasSubstr("libc.so.6 is not ONNX Runtime"));
}

TEST_F(OnnxRuntimeTest, RunsModelsWithLocalFunctions) {
  WAYSTONE_SKIP_WITHOUT_DATA(kXFeat);
  const auto model = engine_->Load(ReadTestFile(TestDataPath(kXFeat)), "onnx", "", {});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ((*model)->signature().outputs.size(), 3U);
}

TEST_F(OnnxRuntimeTest, ReadsWeightsBesideTheModel) {
  const std::string folder = ::testing::TempDir() + "/waystone_onnxruntime_external";
  std::filesystem::create_directories(folder);
  const float weights[] = {1, 2, 3, 4};
  std::ofstream(folder + "/weights.raw", std::ios::binary)
      .write(reinterpret_cast<const char*>(weights), sizeof(weights));
  const auto model = engine_->Load(TinyOnnxWithExternalWeights("weights.raw", 4), "onnx", folder, {});
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  Tensor input = *Tensor::Create(DataType::kFloat32, {1, 4});
  const TensorView view = input.view();
  EXPECT_THAT(RunToFloats(**(*model)->CreateInstance(), {&view, 1})[0], ElementsAre(1, 2, 3, 4));
}

TEST_F(OnnxRuntimeTest, SaysWhatItMissesOfAPluginProvider) {
  const std::string tiny = TinyOnnx("Relu", OnnxType::kFloat, 4);
  LoadOptions options;
  options.device = "npu";
  EXPECT_THAT(std::string(engine_->Load(tiny, "onnx", "", options).status().message()),
              HasSubstr("no device 'npu'"));
  options.device_options = {{"library", "/nowhere/libnpu.so"}};
  const absl::Status absent = engine_->Load(tiny, "onnx", "", options).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(absent)) << absent;
  EXPECT_THAT(std::string(absent.message()), HasSubstr("/nowhere/libnpu.so"));
  options.device_options["library"] = "libc.so.6";  // a library, but no provider
  EXPECT_TRUE(absl::IsFailedPrecondition(engine_->Load(tiny, "onnx", "", options).status()));
  options.precision = "f16";
  EXPECT_THAT(std::string(engine_->Load(tiny, "onnx", "", options).status().message()),
              HasSubstr("ask for f32"));
}

TEST_F(OnnxRuntimeTest, TakesNoLibraryForADeviceOfItsOwn) {
  LoadOptions options;
  options.device_options = {{"library", "/nowhere/libnpu.so"}};
  const absl::Status status =
      engine_->Load(TinyOnnx("Relu", OnnxType::kFloat, 4), "onnx", "", options).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
}

}  // namespace
}  // namespace waystone
