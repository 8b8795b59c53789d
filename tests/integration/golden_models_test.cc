// SPDX-License-Identifier: Apache-2.0
//
// Every ONNX model of the test data on every engine of this build: against its golden answers, batched
// against unbatched, and one engine against the other. Each comparison prints the largest difference it saw,
// as a share of the output's range or, for 8-bit outputs, in steps.
//
// Tolerances: floats 1e-3 of the range; 8-bit outputs one step on ONNX Runtime, which made the goldens, and
// ten on OpenVINO or between the two, whose integer arithmetic rounds otherwise; integers (indices) none.
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
#include "support/engine_testing.h"
#include "support/test_data.h"

namespace waystone {
namespace {

constexpr float kFloatTolerance = 1e-3F;  // of the range

// The allowed difference of an output, absolute. A range includes zero, so that one value alone has one.
double Tolerance(DataType type, double min, double max, double steps) {
  if (type == DataType::kInt64) return 0;
  if (type == DataType::kUint8) return steps;
  return kFloatTolerance * (std::max(max, 0.0) - std::min(min, 0.0));
}

double Steps(const std::string& engine) { return engine == "onnxruntime" ? 1 : 10; }

void Report(const std::string& what, const std::string& model, double share) {
  std::cout << "    " << std::filesystem::path(model).filename().string() << ", " << what << ": " << share
            << " of the tolerance" << std::endl;
}

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

class GoldenModelsTest : public ::testing::TestWithParam<GoldenRecipe> {
 protected:
  void SetUp() override {
    WAYSTONE_SKIP_WITHOUT_DATA(GetParam().golden);
    if (TestEngines().engines().empty()) GTEST_SKIP() << TestEngines().Find("onnxruntime").status().message();
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

// The largest difference of an output from its golden, in tolerances.
double CompareWithGolden(const GoldenOutput& golden, const TensorView& view, double steps) {
  EXPECT_EQ(view.type, golden.type) << golden.name;
  EXPECT_EQ(view.shape, golden.shape) << golden.name;
  if (view.type != golden.type || !(view.shape == golden.shape)) return INFINITY;
  const std::vector<float> values = AsFloats(view);
  const double tolerance = Tolerance(golden.type, golden.min, golden.max, steps);
  double largest = 0;
  for (const auto& [position, value] : golden.samples) {
    largest = std::max(largest, std::abs(values[position] - value));
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  largest = std::max({largest, std::abs(*least - golden.min), std::abs(*most - golden.max)});
  double sum = 0;
  for (const float value : values) sum += value;
  largest =
      std::max(largest, std::abs(sum / static_cast<double>(values.size()) - golden.mean) - 1e-6 * golden.max);
  largest = std::max(largest, static_cast<double>(*most - values[golden.argmax]));
  EXPECT_LE(largest, tolerance) << golden.name;
  return tolerance > 0 ? largest / tolerance : largest;
}

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
  for (const Engine* engine : TestEngines().engines()) {
    SCOPED_TRACE(engine->info().name);
    const auto model = Load(*engine, OptionsFor(golden_, {1}));
    if (model == nullptr) continue;
    ++engines;
    Report(engine->info().name + " against the golden", golden_.model, RunAgainstGolden(*model, *engine));
  }
  EXPECT_GE(engines, 1) << "no engine runs " << golden_.model;
}

TEST_P(GoldenModelsTest, AnswersAsTheGoldenWhenItsDimensionsStayOpen) {
  for (const Engine* engine : TestEngines().engines()) {
    SCOPED_TRACE(engine->info().name);
    const auto model = Load(*engine, {});
    if (model == nullptr) continue;
    Report(engine->info().name + " with open dimensions against the golden", golden_.model,
           RunAgainstGolden(*model, *engine));
  }
}

// Compares two lists of outputs value by value; the largest difference in tolerances.
double CompareOutputs(const ModelSignature& signature, const std::vector<std::vector<float>>& a,
                      const std::vector<std::vector<float>>& b, double steps) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const auto [least, most] = std::minmax_element(a[i].begin(), a[i].end());
    const double tolerance = Tolerance(signature.outputs[i].type, *least, *most, steps);
    const double difference = LargestDifference(a[i], b[i]);
    EXPECT_LE(difference, tolerance) << signature.outputs[i].name;
    largest = std::max(largest, tolerance > 0 ? difference / tolerance : difference);
  }
  return largest;
}

TEST_P(GoldenModelsTest, AnswersAlikeOnAllEnginesThatRunIt) {
  std::map<std::string, std::vector<std::vector<float>>> answers;
  ModelSignature signature;
  for (const Engine* engine : TestEngines().engines()) {
    const auto model = Load(*engine, OptionsFor(golden_, {1}));
    if (model == nullptr) continue;
    signature = model->signature();
    answers[engine->info().name] = RunToFloats(**model->CreateInstance(), InputViews(golden_, signature));
  }
  if (answers.size() < 2) GTEST_SKIP() << "only one engine runs " << golden_.model;
  Report("engines against each other", golden_.model,
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
  for (const Engine* engine : TestEngines().engines()) {
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
    Report(engine->info().name + " batched against unbatched", golden_.model, largest);
  }
  if (!open_batch) GTEST_SKIP() << golden_.model << " takes one row only";
}

TEST(OnnxModelsTest, EachLoadsOnAnEngine) {
  WAYSTONE_SKIP_WITHOUT_DATA("models");
  if (TestEngines().engines().empty()) GTEST_SKIP() << TestEngines().Find("onnxruntime").status().message();
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
