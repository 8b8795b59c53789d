// SPDX-License-Identifier: Apache-2.0
#include "engine/registry.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/fake/fake_engine.h"
#include "engine/module.h"

namespace waystone {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string TestModules(const std::string& way) {
  return std::string(WAYSTONE_BINARY_DIR "/test_modules/") + way;
}

std::string ReasonWithout(const EngineRegistry& registry, const std::string& name) {
  for (const MissingEngine& missing : registry.missing()) {
    if (missing.name == name) return missing.reason;
  }
  return "not missing";
}

std::unique_ptr<Engine> Named(const std::string& name) {
  FakeScript script;
  script.name = name;
  return std::make_unique<FakeEngine>(std::move(script));
}

TEST(EngineRegistryTest, OpensAModuleAndTellsItItsFolder) {
  const EngineRegistry registry = EngineRegistry::Open(TestModules("working"));
  const absl::StatusOr<const Engine*> engine = registry.Find("openvino");
  ASSERT_TRUE(engine.ok()) << engine.status();
  EXPECT_EQ((*engine)->info().devices[0].reason, TestModules("working"));
  EXPECT_TRUE((*engine)->Load("", "onnx", "", {}).ok());
}

TEST(EngineRegistryTest, NamesTheFileThatIsNotThere) {
  const EngineRegistry registry = EngineRegistry::Open("/nowhere/at/all");
  EXPECT_TRUE(registry.engines().empty());
  EXPECT_THAT(ReasonWithout(registry, "openvino"), HasSubstr("/nowhere/at/all/waystone_engine_openvino.so"));
  EXPECT_THAT(ReasonWithout(registry, "onnxruntime"),
              HasSubstr("/nowhere/at/all/waystone_engine_onnxruntime.so"));
}

TEST(EngineRegistryTest, KeepsTheLoadersReasonForAFileThatIsNoLibrary) {
  const std::string folder = ::testing::TempDir() + "/waystone_registry_garbage";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/waystone_engine_openvino.so") << "this is not a shared library";
  const EngineRegistry registry = EngineRegistry::Open(folder);
  EXPECT_THAT(ReasonWithout(registry, "openvino"),
              AllOf(HasSubstr("cannot load the module"), HasSubstr("waystone_engine_openvino.so")));
  std::filesystem::remove_all(folder);
}

TEST(EngineRegistryTest, NamesTheLibraryThatAModuleMisses) {
  const EngineRegistry registry = EngineRegistry::Open(TestModules("missing_library"));
  EXPECT_THAT(ReasonWithout(registry, "openvino"),
              HasSubstr("libwaystone_engine_test_absent.so: cannot open shared object file"));
}

TEST(EngineRegistryTest, RefusesALibraryWithoutTheEntry) {
  const EngineRegistry registry = EngineRegistry::Open(TestModules("no_entry"));
  EXPECT_THAT(ReasonWithout(registry, "openvino"), HasSubstr("does not export waystone_engine_module"));
}

TEST(EngineRegistryTest, RefusesAModuleOfAnotherAbi) {
  const EngineRegistry registry = EngineRegistry::Open(TestModules("other_abi"));
  EXPECT_THAT(
      ReasonWithout(registry, "openvino"),
      AllOf(HasSubstr("was built for 'waystone-engine 0, compiler 1.2.3'"), HasSubstr(kEngineModuleAbi)));
}

TEST(EngineRegistryTest, KeepsTheReasonOfAModuleThatRefuses) {
  const EngineRegistry registry = EngineRegistry::Open(TestModules("refusing"));
  EXPECT_EQ(ReasonWithout(registry, "openvino"), "libsecond.so.3: not on this machine");
}

TEST(EngineRegistryTest, CatchesWhatAModuleThrows) {
  const EngineRegistry registry = EngineRegistry::Open(TestModules("throwing"));
  EXPECT_EQ(ReasonWithout(registry, "openvino"), "thrown while starting");
}

TEST(EngineRegistryTest, ListsEnginesInTheOrderTheyWereAdded) {
  EngineRegistry registry = EngineRegistry::Open(TestModules("working"));
  registry.Add(Named("second"));
  registry.Add(Named("third"));
  std::vector<std::string> names;
  for (const Engine* engine : registry.engines()) names.push_back(engine->info().name);
  EXPECT_THAT(names, ::testing::ElementsAre("openvino", "second", "third"));
}

TEST(EngineRegistryTest, ListsTheReadersOfAFormat) {
  EngineRegistry registry;
  registry.Add(Named("onnx one"));
  FakeScript script;
  script.name = "both";
  script.formats = {"tflite", "onnx"};
  registry.Add(std::make_unique<FakeEngine>(std::move(script)));
  const auto names = [&registry](const std::string& format) {
    std::vector<std::string> of_readers;
    for (const Engine* engine : registry.ReadersOf(format)) of_readers.push_back(engine->info().name);
    return of_readers;
  };
  EXPECT_THAT(names("onnx"), ::testing::ElementsAre("onnx one", "both"));
  EXPECT_THAT(names("tflite"), ::testing::ElementsAre("both"));
  EXPECT_THAT(names("ir"), ::testing::IsEmpty());
}

TEST(EngineRegistryTest, SaysWhyAKnownEngineIsMissing) {
  const EngineRegistry registry = EngineRegistry::Open(TestModules("refusing"));
  const absl::Status status = registry.Find("openvino").status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(status.message(), "engine 'openvino' is not available: libsecond.so.3: not on this machine");
}

TEST(EngineRegistryTest, NamesTheEnginesThereAreForAnUnknownOne) {
  EngineRegistry registry;
  EXPECT_EQ(registry.Find("x").status(), absl::NotFoundError("there is no engine 'x'; there are none"));
  registry.Add(Named("a"));
  registry.Add(Named("b"));
  EXPECT_EQ(registry.Find("x\n").status(),
            absl::NotFoundError("there is no engine 'x\\x0a'; there are a, b"));
}

TEST(EngineRegistryTest, LooksForModulesBesideTheProgram) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(EngineRegistry::DefaultModuleFolder(),
            (program.parent_path().parent_path() / "lib/waystone/engines").string());
}

}  // namespace
}  // namespace waystone
