// SPDX-License-Identifier: Apache-2.0
#include "engine/fake/fake_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"

namespace waystone {
namespace {

using ::testing::ElementsAre;

// Two rows of four: their sums are 10 and 26.
struct TwoRows {
  Tensor tensor = *Tensor::Create(DataType::kFloat32, {2, 4});
  TensorView view = tensor.view();
  TwoRows() {
    for (int i = 0; i < 8; ++i) tensor.As<float>()[static_cast<size_t>(i)] = static_cast<float>(i + 1);
  }
};

std::unique_ptr<Instance> MakeInstance(const FakeEngine& engine, std::unique_ptr<Model>& model,
                                       const LoadOptions& options = {}) {
  auto loaded = engine.Load("bytes", "onnx", "", options);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  model = *std::move(loaded);
  return *model->CreateInstance();
}

TEST(FakeEngineTest, AnswersEachRowFromItsOwnInput) {
  const FakeEngine engine;
  std::unique_ptr<Model> model;
  const auto instance = MakeInstance(engine, model);
  TwoRows input;
  const auto outputs = instance->Run({&input.view, 1});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ASSERT_EQ(outputs->size(), 1U);
  EXPECT_EQ((*outputs)[0].shape, Shape({2, 2}));
  EXPECT_THAT((*outputs)[0].As<float>(), ElementsAre(10, 11, 26, 27));
}

TEST(FakeEngineTest, ComputesInTheTypesOfItsSignature) {
  FakeScript script;
  script.signature = {
      {{"a", DataType::kFloat16, {kDynamicDim}}, {"b", DataType::kInt64, {kDynamicDim}}},
      {{"small", DataType::kUint8, {kDynamicDim}}, {"half", DataType::kBfloat16, {kDynamicDim, 1}}}};
  const FakeEngine engine(script);
  std::unique_ptr<Model> model;
  const auto instance = MakeInstance(engine, model);
  Tensor a = *Tensor::Create(DataType::kFloat16, {1});
  Tensor b = *Tensor::Create(DataType::kInt64, {1});
  a.As<uint16_t>()[0] = FloatToHalf(1.5F);
  b.As<int64_t>()[0] = 300;
  const TensorView inputs[] = {a.view(), b.view()};
  const auto outputs = instance->Run(inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_EQ((*outputs)[0].As<uint8_t>()[0], 255);                    // clamped
  EXPECT_EQ(Bfloat16ToFloat((*outputs)[1].As<uint16_t>()[0]), 302);  // 301.5 has no bfloat16
}

TEST(FakeEngineTest, ScriptsLatencyByTheNumberOfRows) {
  FakeClock clock;
  FakeScript script;
  script.on_run = [&clock](int64_t, int64_t rows) {
    clock.Advance(std::chrono::milliseconds(rows));
    return absl::OkStatus();
  };
  const FakeEngine engine(script);
  std::unique_ptr<Model> model;
  const auto instance = MakeInstance(engine, model);
  const TimePoint begin = clock.Now();
  TwoRows input;
  ASSERT_TRUE(instance->Run({&input.view, 1}).ok());
  EXPECT_EQ(clock.Now() - begin, std::chrono::milliseconds(2));
}

TEST(FakeEngineTest, FailsTheScriptedRunAndOnlyThatOne) {
  FakeScript script;
  script.on_run = [](int64_t run, int64_t) {
    return run == 2 ? absl::InternalError("scripted") : absl::OkStatus();
  };
  const FakeEngine engine(script);
  std::unique_ptr<Model> model;
  const auto instance = MakeInstance(engine, model);
  TwoRows input;
  EXPECT_TRUE(instance->Run({&input.view, 1}).ok());
  EXPECT_EQ(instance->Run({&input.view, 1}).status(), absl::InternalError("scripted"));
  EXPECT_TRUE(instance->Run({&input.view, 1}).ok());
  EXPECT_EQ(engine.counters().runs, 3);
  EXPECT_EQ(engine.counters().rows, 4);
}

TEST(FakeEngineTest, FailsTheScriptedLoad) {
  FakeScript script;
  script.on_load = [](std::string_view bytes) {
    return bytes == "bad" ? absl::InvalidArgumentError("scripted") : absl::OkStatus();
  };
  const FakeEngine engine(script);
  EXPECT_EQ(engine.Load("bad", "onnx", "", {}).status(), absl::InvalidArgumentError("scripted"));
  EXPECT_TRUE(engine.Load("good", "onnx", "", {}).ok());
  EXPECT_EQ(engine.counters().loads, 1);
}

TEST(FakeEngineTest, RefusesInputsThatDoNotFitAndStaysUsable) {
  const FakeEngine engine;
  std::unique_ptr<Model> model;
  LoadOptions options;
  options.batch_sizes = {2};
  const auto instance = MakeInstance(engine, model, options);
  Tensor one_row = *Tensor::Create(DataType::kFloat32, {1, 4});
  const TensorView view = one_row.view();
  EXPECT_TRUE(absl::IsInvalidArgument(instance->Run({&view, 1}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(instance->Run({}).status()));
  TwoRows input;
  EXPECT_TRUE(instance->Run({&input.view, 1}).ok());
}

TEST(FakeEngineTest, CountsWhatIsAlive) {
  const FakeEngine engine;
  {
    std::unique_ptr<Model> model;
    const auto instance = MakeInstance(engine, model);
    EXPECT_EQ(engine.counters().models, 1);
    EXPECT_EQ(engine.counters().instances, 1);
  }
  EXPECT_EQ(engine.counters().models, 0);
  EXPECT_EQ(engine.counters().instances, 0);
}

TEST(FakeEngineDeathTest, AbortsWhenAnInstanceIsRunFromTwoPlacesAtOnce) {
  Instance* instance = nullptr;
  TwoRows input;
  FakeScript script;
  script.on_run = [&](int64_t, int64_t) { return instance->Run({&input.view, 1}).status(); };
  const FakeEngine engine(script);
  std::unique_ptr<Model> model;
  const auto owner = MakeInstance(engine, model);
  instance = owner.get();
  EXPECT_DEATH((void)instance->Run({&input.view, 1}), "confined to one thread");
}

}  // namespace
}  // namespace waystone
