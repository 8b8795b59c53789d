// SPDX-License-Identifier: Apache-2.0
//
// What is TensorFlow Lite's own; what every adapter promises is in engine_contract_test.cc and
// tiny_model_contract_test.cc.
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tflite/library.h"
#include "support/engine_testing.h"
#include "support/test_data.h"
#include "support/tiny_tflite.h"

namespace waystone {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kBlazeFace[] = "models/blazeface/face_detection_short_range.tflite";
constexpr char kSelfie[] = "models/selfie-segmentation/selfie_segmentation.tflite";
constexpr char kDelegate[] = WAYSTONE_BINARY_DIR "/test_modules/tflite_delegate.so";

class TfLiteTest : public ::testing::Test {
 protected:
  void SetUp() override {
    WAYSTONE_SKIP_WITHOUT_ENGINE("tflite");
    engine_ = *TestEngines().Find("tflite");
  }

  absl::StatusOr<std::unique_ptr<Model>> Load(const std::string& bytes,
                                              const LoadOptions& options = {}) const {
    return engine_->Load(bytes, "tflite", "", options);
  }
  absl::StatusOr<std::unique_ptr<Model>> Load(const TinyGraph& graph, const LoadOptions& options = {}) const {
    return Load(TinyTfLite(graph), options);
  }

  const Engine* engine_ = nullptr;
};

std::string ReasonWithLibrary(const char* path) {
  setenv("WAYSTONE_TFLITE", path, 1);
  const std::string reason(OpenTfLite("/nowhere").status().message());
  unsetenv("WAYSTONE_TFLITE");
  return reason;
}

TEST(TfLiteLibraryTest, SaysWhereItLookedAndWhatToDo) {
  unsetenv("WAYSTONE_TFLITE");
  const absl::Status status = OpenTfLite("/nowhere/modules").status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("libtensorflowlite_c.so"), HasSubstr("/nowhere/modules/tflite"),
                    HasSubstr("/nowhere/engines/tflite/lib"), HasSubstr("scripts/setup --for tflite"),
                    HasSubstr("WAYSTONE_TFLITE")));
}

TEST(TfLiteLibraryTest, LooksBesideTheModuleFirst) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "waystone_tflite_beside";
  std::filesystem::create_directories(folder / "tflite");
  std::ofstream(folder / "tflite" / "libjnitensorflowlite.so") << "not a library";
  EXPECT_THAT(std::string(OpenTfLite(folder).status().message()),
              HasSubstr((folder / "tflite" / "libjnitensorflowlite.so").string()));
  std::filesystem::remove_all(folder);
}

TEST(TfLiteLibraryTest, SaysWhatIsWrongWithTheLibraryItIsToldToUse) {
  EXPECT_THAT(ReasonWithLibrary("/nowhere/libtflite.so"),
              AllOf(HasSubstr("/nowhere/libtflite.so"), HasSubstr("No such file")));
  EXPECT_THAT(ReasonWithLibrary("libc.so.6"),
              AllOf(HasSubstr("libc.so.6 is no TensorFlow Lite"), HasSubstr("TfLiteVersion")));
}

TEST_F(TfLiteTest, GivesOutputsWhoseSizeOnlyTheRunTells) {
  const TinyGraph where = {{{.type = TfLiteType::kBool, .shape = {4}, .name = "condition"},
                            {.type = TfLiteType::kInt64, .shape = {1, 1}, .open_batch = true}},
                           {0},
                           {1},
                           {{.op = TfLiteOp::kWhere, .inputs = {0}, .outputs = {1}}}};
  const auto model = Load(where);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ((*model)->signature().outputs[0].shape, Shape({kDynamicDim, 1}));
  const auto instance = *(*model)->CreateInstance();
  Tensor input = *Tensor::Create(DataType::kBool, {4});
  const TensorView view = input.view();
  EXPECT_THAT(RunToFloats(*instance, {&view, 1})[0], IsEmpty());
  input.bytes()[1] = input.bytes()[3] = std::byte{1};
  const auto outputs = instance->Run({&view, 1});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_EQ((*outputs)[0].shape, Shape({2, 1}));
  EXPECT_THAT(AsFloats((*outputs)[0]), ElementsAre(1, 3));
}

TEST_F(TfLiteTest, KeepsNothingOfOneRunForTheNext) {
  // state = input + state, which is also the output.
  const std::string one = tiny_tflite::Raw(1.0F);
  const TinyGraph sum = {{{.shape = {1, 1}, .name = "input"},
                          {.shape = {1, 1}, .data = one},
                          {.shape = {1, 1}, .data = one},
                          {.shape = {1}, .data = tiny_tflite::Raw(0.0F)},
                          {.shape = {1, 1}, .is_variable = true},
                          {.shape = {1, 1}, .name = "output"}},
                         {0},
                         {5},
                         {{.op = TfLiteOp::kRnn,
                           .inputs = {0, 1, 2, 3, 4},
                           .outputs = {5},
                           .options_type = TfLiteOptions::kRnn,
                           .options = {0}}}};
  const auto model = Load(sum);
  ASSERT_TRUE(model.ok()) << model.status();
  const auto instance = *(*model)->CreateInstance();
  Tensor input = *Tensor::Create(DataType::kFloat32, {1, 1});
  input.As<float>()[0] = 2;
  const TensorView view = input.view();
  EXPECT_THAT(RunToFloats(*instance, {&view, 1})[0], ElementsAre(2));
  EXPECT_THAT(RunToFloats(*instance, {&view, 1})[0], ElementsAre(2));
}

TEST_F(TfLiteTest, RunsMoreShapesThanItKeeps) {
  const auto model = Load(TinyUnary(TfLiteOp::kRelu, TfLiteType::kFloat32, 4));
  ASSERT_TRUE(model.ok()) << model.status();
  const auto instance = *(*model)->CreateInstance();
  for (const int64_t batch : {1, 2, 3, 4, 5, 6, 7, 1, 7, 2}) {
    Tensor input = PatternTensor(DataType::kFloat32, {batch, 4}, static_cast<uint32_t>(batch));
    const TensorView view = input.view();
    const auto outputs = instance->Run({&view, 1});
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ((*outputs)[0].shape, Shape({batch, 4}));
    EXPECT_THAT((*outputs)[0].data, ::testing::ElementsAreArray(input.bytes()));
  }
}

TEST_F(TfLiteTest, RefusesABatchThatTheModelExcludes) {
  TinyGraph fixed = TinyUnary(TfLiteOp::kRelu, TfLiteType::kFloat32, 4);
  fixed.tensors[0].open_batch = fixed.tensors[1].open_batch = false;
  LoadOptions options;
  options.batch_sizes = {2};
  EXPECT_TRUE(absl::IsInvalidArgument(Load(fixed, options).status()));
  options.batch_sizes = {1};
  EXPECT_TRUE(Load(fixed, options).ok());
}

TEST_F(TfLiteTest, RefusesABatchThatTheNetworkInsideCannotTake) {
  TinyGraph graph = TinyIdentity(TfLiteType::kFloat32, 4);
  graph.tensors[2].data = tiny_tflite::Raw(int32_t{1}) + tiny_tflite::Raw(int32_t{4});  // not -1: one row
  LoadOptions options;
  options.batch_sizes = {1, 2};
  const absl::Status status = Load(graph, options).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("cannot load"), HasSubstr("RESHAPE")));
}

TEST_F(TfLiteTest, AnswersAlikeWithAndWithoutXnnPackAndOnSeveralThreads) {
  WAYSTONE_SKIP_WITHOUT_DATA(kBlazeFace);
  const std::string bytes = ReadTestFile(TestDataPath(kBlazeFace));
  Tensor input = PatternTensor(DataType::kFloat32, {1, 128, 128, 3}, 3);
  const TensorView view = input.view();
  std::vector<std::vector<std::vector<float>>> answers;
  for (const char* xnnpack : {"true", "false"}) {
    for (const int threads : {1, 2}) {
      LoadOptions options;
      options.device_options = {{"xnnpack", xnnpack}};
      options.threads = threads;
      const auto model = Load(bytes, options);
      ASSERT_TRUE(model.ok()) << model.status();
      answers.push_back(RunToFloats(**(*model)->CreateInstance(), {&view, 1}));
    }
  }
  for (const auto& answer : answers) {
    ASSERT_EQ(answer.size(), 2U);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_LE(LargestDifference(answer[i], answers[0][i]), 1e-5F * RangeOf(answers[0][i]));
    }
  }
}

TEST_F(TfLiteTest, UsesXnnPackUnlessToldOtherwise) {
  WAYSTONE_SKIP_WITHOUT_DATA(kSelfie);  // one of its operators only XNNPACK knows
  const std::string bytes = ReadTestFile(TestDataPath(kSelfie));
  EXPECT_TRUE(Load(bytes).ok());
  LoadOptions options;
  options.device_options = {{"xnnpack", "false"}};
  const absl::Status status = Load(bytes, options).status();
  EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("Convolution2DTransposeBias"));
  options.device_options = {{"xnnpack", "perhaps"}};
  EXPECT_THAT(std::string(Load(bytes, options).status().message()), HasSubstr("xnnpack is 'perhaps'"));
}

// Loads what may be no model and runs it when it is one. All that is asked is that the process lives on.
void LoadAndRun(const Engine& engine, std::string_view bytes) {
  const auto model = engine.Load(bytes, "tflite", "", {});
  if (!model.ok()) return;
  const auto instance = (*model)->CreateInstance();
  if (!instance.ok()) return;
  std::vector<Tensor> inputs;
  std::vector<TensorView> views;
  for (const TensorSignature& input : (*model)->signature().inputs) {
    Shape shape = input.shape;
    for (size_t axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] == kDynamicDim) shape[axis] = 1;
    }
    absl::StatusOr<Tensor> tensor = Tensor::Create(input.type, shape, size_t{1} << 24);
    if (!tensor.ok()) return;
    inputs.push_back(*std::move(tensor));
  }
  for (Tensor& input : inputs) views.push_back(input.view());
  (void)(*instance)->Run(views);
}

void FlipBit(size_t bit, std::string& bytes) {
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
}

TEST_F(TfLiteTest, SurvivesEveryWrongBitAndEveryLengthOfATinyModel) {
  const std::string identity = TinyTfLite(TinyIdentity(TfLiteType::kFloat32, 4));
  for (size_t bit = 0; bit < 8 * identity.size(); ++bit) {
    std::string forged = identity;
    FlipBit(bit, forged);
    LoadAndRun(*engine_, forged);
  }
  for (size_t size = 0; size < identity.size(); ++size) LoadAndRun(*engine_, identity.substr(0, size));
  EXPECT_TRUE(Load(identity).ok());
}

// TensorFlow Lite alone ends with a segmentation fault on one in sixty of these.
TEST_F(TfLiteTest, SurvivesWrongBitsAndLengthsOfARealModel) {
  WAYSTONE_SKIP_WITHOUT_DATA(kBlazeFace);
  constexpr size_t kGraph = 205420;  // where the weights end and the graph begins
  const std::string whole = ReadTestFile(TestDataPath(kBlazeFace));
  ASSERT_GT(whole.size(), kGraph);
  uint64_t state = 1;
  for (int run = 0; run < 400; ++run) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::string forged = whole;
    FlipBit(8 * kGraph + (state >> 33) % (8 * (whole.size() - kGraph)), forged);
    LoadAndRun(*engine_, forged);
    if (run % 10 == 0) LoadAndRun(*engine_, whole.substr(0, (state >> 33) % whole.size()));
  }
  EXPECT_TRUE(Load(whole).ok());
}

class TfLiteDelegateTest : public TfLiteTest {
 protected:
  absl::StatusOr<std::unique_ptr<Model>> LoadOn(std::map<std::string, std::string> device_options,
                                                const std::string& device = "npu") const {
    LoadOptions options;
    options.device = device;
    options.device_options = std::move(device_options);
    return Load(TinyUnary(TfLiteOp::kRelu, TfLiteType::kFloat32, 4), options);
  }
};

TEST_F(TfLiteDelegateTest, RunsOnTheDelegateOfALibrary) {
  void* library = dlopen(kDelegate, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto alive = reinterpret_cast<int (*)()>(dlsym(library, "waystone_test_delegates"));
  {
    const auto model = LoadOn({{"library", kDelegate}});
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_EQ((*model)->device(), "npu");
    const auto instance = *(*model)->CreateInstance();
    Tensor input = *Tensor::Create(DataType::kFloat32, {1, 4});
    input.As<float>()[1] = -1;
    input.As<float>()[2] = 5;
    const TensorView view = input.view();
    EXPECT_THAT(RunToFloats(*instance, {&view, 1})[0], ElementsAre(0, 0, 5, 0));
    EXPECT_EQ(alive(), 1);
  }
  EXPECT_EQ(alive(), 0);
  dlclose(library);
}

TEST_F(TfLiteDelegateTest, HandsItTheOptionsAndKeepsItsReason) {
  const absl::Status refused = LoadOn({{"library", kDelegate}, {"refuse", "no such chip"}}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), AllOf(HasSubstr("'npu'"), HasSubstr("no such chip")));
  EXPECT_THAT(std::string(LoadOn({{"library", kDelegate}, {"speed", "9"}}).status().message()),
              HasSubstr("speed"));
}

TEST_F(TfLiteDelegateTest, RefusesAGraphThatTheDelegateDoesNotTake) {
  const absl::Status status = LoadOn({{"library", kDelegate}, {"fail", "true"}}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
}

TEST_F(TfLiteDelegateTest, SaysWhatItMissesOfADelegate) {
  EXPECT_THAT(std::string(LoadOn({}).status().message()), HasSubstr("no device 'npu'"));
  const absl::Status absent = LoadOn({{"library", "/nowhere/libnpu.so"}}, "absent").status();
  EXPECT_TRUE(absl::IsFailedPrecondition(absent)) << absent;
  EXPECT_THAT(std::string(absent.message()), HasSubstr("/nowhere/libnpu.so"));
  const absl::Status none = LoadOn({{"library", "libc.so.6"}}, "none").status();
  EXPECT_TRUE(absl::IsFailedPrecondition(none)) << none;
  EXPECT_THAT(std::string(none.message()), HasSubstr("tflite_plugin_create_delegate"));
}

TEST_F(TfLiteDelegateTest, KeepsOneLibraryADevice) {
  ASSERT_TRUE(LoadOn({{"library", kDelegate}}).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(LoadOn({{"library", "libc.so.6"}}).status()));
}

TEST_F(TfLiteDelegateTest, TakesNoLibraryForTheCpuAndNoOtherPrecision) {
  EXPECT_TRUE(absl::IsInvalidArgument(LoadOn({{"library", kDelegate}}, "cpu").status()));
  LoadOptions options;
  options.device = "npu";
  options.device_options = {{"library", kDelegate}};
  options.precision = "f16";
  const absl::Status status = Load(TinyUnary(TfLiteOp::kRelu, TfLiteType::kFloat32, 4), options).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
}

}  // namespace
}  // namespace waystone
