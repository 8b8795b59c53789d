// SPDX-License-Identifier: Apache-2.0
#include "engine/load_model.h"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/fake/fake_engine.h"

namespace waystone {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const DeviceInfo kCpu = {"cpu", true, "", {"f32"}};
const DeviceInfo kMissingCuda = {"cuda", false, "libcuda.so.1 not found", {}};

class LoadModelTest : public ::testing::Test {
 protected:
  // The status is what every load of the engine gives.
  FakeEngine& Add(const std::string& name, std::vector<DeviceInfo> devices,
                  absl::Status on_load = absl::OkStatus()) {
    FakeScript script;
    script.name = name;
    script.devices = std::move(devices);
    script.on_load = [on_load](std::string_view) { return on_load; };
    auto engine = std::make_unique<FakeEngine>(std::move(script));
    FakeEngine& reference = *engine;
    registry_.Add(std::move(engine));
    return reference;
  }

  absl::StatusOr<LoadedModel> Load(const EngineSpec& spec) {
    return LoadModel(
        registry_, spec, {"tiny", "bytes", "onnx", ""}, {},
        [this](const std::string& from, const std::string& to) { fallbacks_.emplace_back(from, to); });
  }

  EngineRegistry registry_;
  std::vector<std::pair<std::string, std::string>> fallbacks_;
};

TEST_F(LoadModelTest, TakesTheFirstEngineThatLoadsWhenNoneIsPreferred) {
  Add("one", {kCpu}, absl::UnimplementedError("no conversion for Unfold"));
  Add("two", {kCpu});
  Add("three", {kCpu});
  const absl::StatusOr<LoadedModel> loaded = Load({});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->engine, "two");
  EXPECT_THAT(fallbacks_, IsEmpty());
}

TEST_F(LoadModelTest, AsksOnlyReadersOfTheFormatWhenNoneIsPreferred) {
  FakeScript script;
  script.name = "other";
  script.formats = {"tflite"};
  registry_.Add(std::make_unique<FakeEngine>(std::move(script)));
  EXPECT_THAT(std::string(Load({}).status().message()), HasSubstr("other: does not read the format 'onnx'"));
  Add("one", {kCpu}, absl::InvalidArgumentError("broken"));
  EXPECT_EQ(Load({}).status(), absl::InvalidArgumentError("one: broken"));
}

TEST_F(LoadModelTest, ListsTheReasonOfEachEngineWhenNoneLoads) {
  Add("one", {kCpu}, absl::UnimplementedError("no conversion for Unfold"));
  Add("two", {kCpu}, absl::InvalidArgumentError("truncated"));
  EXPECT_EQ(Load({}).status(), absl::InvalidArgumentError("one: no conversion for Unfold; two: truncated"));
}

TEST_F(LoadModelTest, AsksOnlyThePreferredEngine) {
  FakeEngine& one = Add("one", {kCpu});
  Add("two", {kCpu}, absl::InvalidArgumentError("truncated"));
  EngineSpec spec;
  spec.prefer = {"two"};
  EXPECT_EQ(Load(spec).status(), absl::InvalidArgumentError("two: truncated"));
  EXPECT_EQ(one.counters().loads, 0);
}

TEST_F(LoadModelTest, CountsAPreferredEngineThatHadToBeLeft) {
  Add("one", {kCpu});
  EngineSpec spec;
  spec.prefer = {"absent", "one"};
  ASSERT_TRUE(Load(spec).ok());
  EXPECT_THAT(fallbacks_, ElementsAre(Pair("absent on cpu", "one on cpu")));
}

TEST_F(LoadModelTest, RefusesAMissingDeviceWithoutAFallback) {
  FakeEngine& one = Add("one", {kCpu, kMissingCuda});
  EngineSpec spec;
  spec.device = "cuda";
  EXPECT_EQ(Load(spec).status(),
            absl::FailedPreconditionError("one: cannot use the device 'cuda': libcuda.so.1 not found"));
  EXPECT_EQ(one.counters().loads, 0);
  EXPECT_THAT(fallbacks_, IsEmpty());
}

TEST_F(LoadModelTest, FallsBackToAListedDeviceAndCountsIt) {
  Add("one", {kCpu});
  Add("two", {kCpu, kMissingCuda});
  EngineSpec spec;
  spec.prefer = {"two"};
  spec.device = "cuda";
  spec.fallback_devices = {"tpu", "cpu"};
  const absl::StatusOr<LoadedModel> loaded = Load(spec);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->engine, "two");
  EXPECT_EQ(loaded->model->device(), "cpu");
  EXPECT_THAT(fallbacks_, ElementsAre(Pair("two on cuda", "two on cpu")));
}

TEST_F(LoadModelTest, SaysWhatTheFirstDeviceLacksWhenTheFallbackLacksItToo) {
  Add("one", {kCpu, kMissingCuda});
  EngineSpec spec;
  spec.device = "cuda";
  spec.fallback_devices = {"tpu"};
  EXPECT_THAT(Load(spec).status().message(), HasSubstr("libcuda.so.1 not found"));
}

TEST_F(LoadModelTest, DoesNotTryAnotherDeviceForABrokenModel) {
  DeviceInfo cuda = kMissingCuda;
  cuda.available = true;
  cuda.precisions = {"f32"};
  FakeScript script;
  int loads = 0;
  script.devices = {kCpu, cuda};
  script.on_load = [&loads](std::string_view) {
    ++loads;
    return absl::InvalidArgumentError("truncated");
  };
  registry_.Add(std::make_unique<FakeEngine>(std::move(script)));
  EngineSpec spec;
  spec.device = "cuda";
  spec.fallback_devices = {"cpu"};
  EXPECT_TRUE(absl::IsInvalidArgument(Load(spec).status()));
  EXPECT_EQ(loads, 1);
}

TEST_F(LoadModelTest, RefusesAPrecisionTheMachineDoesNotRun) {
  Add("one", {kCpu});
  EngineSpec spec;
  spec.precision = "bf16";
  const absl::Status status = Load(spec).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(status.message(), AllOf(HasSubstr("bf16"), HasSubstr("it runs f32")));
}

TEST_F(LoadModelTest, SaysWhyThereIsNoEngineAtAll) {
  registry_ = EngineRegistry::Open("/nowhere");
  const absl::Status status = Load({}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(status.message(), HasSubstr("/nowhere/waystone_engine_openvino.so"));
}

}  // namespace
}  // namespace waystone
