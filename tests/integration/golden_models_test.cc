// SPDX-License-Identifier: Apache-2.0
//
// Every ONNX model of the test data on every engine of this build that reads ONNX: against its golden
// answers, batched against unbatched, and one engine against the other. TensorFlow Lite's models:
// golden_tflite_test.cc.
//
// Tolerances: golden_compare.h; for 8-bit outputs one step on ONNX Runtime, which made the goldens, and ten
// on OpenVINO or between the two, whose integer arithmetic rounds otherwise.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/load_model.h"
#include "integration/golden_case.h"
#include "integration/golden_compare.h"
#include "support/engine_testing.h"
#include "support/test_data.h"

namespace waystone {
namespace {

double Steps(const std::string& engine) { return engine == "onnxruntime" ? 1 : 10; }

// The inputs in the order of the signature.
std::vector<TensorView> InputViews(GoldenCase& golden, const ModelSignature& signature) {
  std::vector<TensorView> views;
  for (const TensorSignature& wanted : signature.inputs) {
    for (GoldenInput& input : golden.inputs) {
      if (input.name == wanted.name) views.push_back(input.tensor.view());
    }
  }
  EXPECT_EQ(views.size(), signature.inputs.size()) << "an input of the model is not in the golden";
  return views;
}

LoadOptions OptionsFor(const GoldenCase& golden, std::vector<int> batch_sizes) {
  LoadOptions options;
  options.batch_sizes = std::move(batch_sizes);
  for (const GoldenInput& input : golden.inputs) options.input_shapes[input.name] = input.tensor.shape();
  return options;
}

std::vector<const Engine*> OnnxEngines() { return TestEngines().ReadersOf("onnx"); }

class GoldenModelsTest : public ::testing::TestWithParam<GoldenRecipe> {
 protected:
  void SetUp() override {
    WAYSTONE_SKIP_WITHOUT_DATA(GetParam().golden);
    if (OnnxEngines().empty()) GTEST_SKIP() << TestEngines().Find("onnxruntime").status().message();
    golden_ = ReadGolden(GetParam());
    bytes_ = ReadTestFile(golden_.model);
  }

  // Runs the golden input; the largest difference, in tolerances.
  double RunAgainstGolden(const Model& model, const Engine& engine);

  // The model on `engine`; nothing where the engine says that it does not know an operation.
  std::unique_ptr<Model> Load(const Engine& engine, const LoadOptions& options) const {
    auto model = engine.Load(bytes_, "onnx", "", options);
    EXPECT_TRUE(model.ok() || absl::IsUnimplemented(model.status()))
        << engine.info().name << ": " << model.status();
    if (!model.ok()) std::cout << "    " << engine.info().name << " does not run it" << std::endl;
    return model.ok() ? *std::move(model) : nullptr;
  }

  GoldenCase golden_;
  std::string bytes_;
};

INSTANTIATE_TEST_SUITE_P(Models, GoldenModelsTest, ::testing::ValuesIn(GoldenRecipes()),
                         [](const auto& parameter) {
                           const std::filesystem::path path(parameter.param.golden);
                           const std::string name = path.parent_path().parent_path().filename().string() +
                                                    "_" + path.stem().string();
                           return absl::StrReplaceAll(name, {{"-", "_"}, {".", "_"}});
                         });

double GoldenModelsTest::RunAgainstGolden(const Model& model, const Engine& engine) {
  const auto instance = *model.CreateInstance();
  const auto outputs = instance->Run(InputViews(golden_, model.signature()));
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  if (!outputs.ok() || outputs->size() != golden_.outputs.size()) {
    ADD_FAILURE() << "the golden has " << golden_.outputs.size() << " outputs";
    return INFINITY;
  }
  double largest = 0;
  for (size_t i = 0; i < outputs->size(); ++i) {
    EXPECT_EQ(model.signature().outputs[i].name, golden_.outputs[i].name);
    largest =
        std::max(largest, CompareWithGolden(golden_.outputs[i], (*outputs)[i], Steps(engine.info().name)));
  }
  return largest;
}

TEST_P(GoldenModelsTest, AnswersAsTheGoldenOnEveryEngineThatRunsIt) {
  int engines = 0;
  for (const Engine* engine : OnnxEngines()) {
    SCOPED_TRACE(engine->info().name);
    const auto model = Load(*engine, OptionsFor(golden_, {1}));
    if (model == nullptr) continue;
    ++engines;
    ReportDifference(engine->info().name + " against the golden", golden_.model,
                     RunAgainstGolden(*model, *engine));
  }
  EXPECT_GE(engines, 1) << "no engine runs " << golden_.model;
}

TEST_P(GoldenModelsTest, AnswersAsTheGoldenWhenItsDimensionsStayOpen) {
  for (const Engine* engine : OnnxEngines()) {
    SCOPED_TRACE(engine->info().name);
    const auto model = Load(*engine, {});
    if (model == nullptr) continue;
    ReportDifference(engine->info().name + " with open dimensions against the golden", golden_.model,
                     RunAgainstGolden(*model, *engine));
  }
}

TEST_P(GoldenModelsTest, AnswersAlikeOnAllEnginesThatRunIt) {
  std::map<std::string, std::vector<std::vector<float>>> answers;
  ModelSignature signature;
  for (const Engine* engine : OnnxEngines()) {
    const auto model = Load(*engine, OptionsFor(golden_, {1}));
    if (model == nullptr) continue;
    signature = model->signature();
    answers[engine->info().name] = RunToFloats(**model->CreateInstance(), InputViews(golden_, signature));
  }
  if (answers.size() < 2) GTEST_SKIP() << "only one engine runs " << golden_.model;
  ReportDifference("engines against each other", golden_.model,
                   CompareOutputs(signature, answers["onnxruntime"], answers["openvino"], Steps("openvino")));
}

// Three rows: the golden input, the same backwards, the golden input again.
Tensor ThreeRows(Tensor& row) {
  Shape shape = row.shape();
  shape[0] = 3;
  Tensor rows = *Tensor::Create(row.type(), shape);
  const size_t width = ByteSize(row.type());
  const size_t count = row.byte_size() / width;
  for (size_t i = 0; i < count; ++i) {
    const auto element = row.bytes().subspan(i * width, width);
    std::copy(element.begin(), element.end(), rows.row(0).begin() + static_cast<std::ptrdiff_t>(i * width));
    std::copy(element.begin(), element.end(), rows.row(2).begin() + static_cast<std::ptrdiff_t>(i * width));
    std::copy(element.begin(), element.end(),
              rows.row(1).begin() + static_cast<std::ptrdiff_t>((count - 1 - i) * width));
  }
  return rows;
}

TEST_P(GoldenModelsTest, AnswersABatchAsItsRowsAlone) {
  bool open_batch = false;
  for (const Engine* engine : OnnxEngines()) {
    SCOPED_TRACE(engine->info().name);
    const auto probe = engine->Load(bytes_, "onnx", "", OptionsFor(golden_, {1, 3}));
    if (!probe.ok()) continue;  // the batch is fixed, or an operation unknown: other tests say which
    open_batch = true;
    const Model& model = **probe;
    ASSERT_EQ(golden_.inputs.size(), 1U);
    Tensor rows = ThreeRows(golden_.inputs[0].tensor);
    const auto instance = *model.CreateInstance();
    const TensorView batch = rows.view();
    const auto together = RunToFloats(*instance, {&batch, 1});
    ASSERT_EQ(together.size(), golden_.outputs.size());
    double largest = 0;
    for (int64_t row = 0; row < 3; ++row) {
      const TensorView one = {rows.type(), golden_.inputs[0].tensor.shape(), rows.row(row)};
      const auto alone = RunToFloats(*instance, {&one, 1});
      std::vector<std::vector<float>> of_row;
      for (const std::vector<float>& output : together) {
        const auto begin = output.begin() + static_cast<std::ptrdiff_t>(output.size() / 3) * row;
        of_row.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(output.size() / 3));
      }
      largest = std::max(largest, CompareOutputs(model.signature(), alone, of_row, 1));
    }
    ReportDifference(engine->info().name + " batched against unbatched", golden_.model, largest);
  }
  if (!open_batch) GTEST_SKIP() << golden_.model << " takes one row only";
}

TEST(OnnxModelsTest, EachLoadsOnAnEngine) {
  WAYSTONE_SKIP_WITHOUT_DATA("models");
  if (OnnxEngines().empty()) GTEST_SKIP() << TestEngines().Find("onnxruntime").status().message();
  int models = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(TestDataPath("models"))) {
    if (file.path().extension() != ".onnx") continue;
    const std::string bytes = ReadTestFile(file.path());
    const auto loaded = LoadModel(TestEngines(), {}, {file.path().filename(), bytes, "onnx", ""}, {}, {});
    EXPECT_TRUE(loaded.ok()) << file.path() << ": " << loaded.status();
    ++models;
  }
  EXPECT_GE(models, 1);
}

TEST(GoldenRecipesTest, CoverEveryOnnxGoldenOfTheTestData) {
  WAYSTONE_SKIP_WITHOUT_DATA("models");
  std::set<std::string> covered;
  for (const GoldenRecipe& recipe : GoldenRecipes()) covered.insert(recipe.golden);
  size_t goldens = 0;
  for (const auto& folder : std::filesystem::directory_iterator(TestDataPath("models"))) {
    if (!std::filesystem::exists(folder.path() / "golden")) continue;
    for (const auto& file : std::filesystem::directory_iterator(folder.path() / "golden")) {
      if (file.path().extension() != ".json") continue;
      const std::string model = nlohmann::json::parse(ReadTestFile(file.path()))["model"];
      if (std::filesystem::path(model).extension() != ".onnx") continue;
      const std::string name = absl::StrCat("models/", folder.path().filename().string(), "/golden/",
                                            file.path().filename().string());
      EXPECT_TRUE(covered.contains(name)) << name;
      ++goldens;
    }
  }
  EXPECT_EQ(goldens, covered.size());
}

}  // namespace
}  // namespace waystone
