// SPDX-License-Identifier: Apache-2.0
#include "engine/registry.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "base/check.h"
#include "base/install_prefix.h"
#include "base/log.h"
#include "base/status.h"
#include "engine/module.h"

namespace waystone {
namespace {

// In the order of preference.
constexpr std::array<const char*, 3> kKnownEngines = {"tflite", "openvino", "onnxruntime"};

std::string LoaderError() {
  const char* text = dlerror();
  return text != nullptr ? text : "the dynamic loader gave no reason";
}

absl::StatusOr<const EngineModule*> ReadEntry(void* handle, const std::string& path) {
  void* symbol = dlsym(handle, kEngineModuleEntry);
  if (symbol == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is not an engine module: it does not export ", kEngineModuleEntry));
  }
  const EngineModule* module = reinterpret_cast<EngineModuleEntry>(symbol)();
  if (module == nullptr || module->abi == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is not an engine module: its entry returns nothing"));
  }
  if (absl::string_view(module->abi) != kEngineModuleAbi) {
    return absl::FailedPreconditionError(absl::StrCat(path, " was built for '", LogSafe(module->abi),
                                                      "', this program needs '", kEngineModuleAbi, "'"));
  }
  return module;
}

absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(const EngineModule& module, const std::string& name,
                                                     const std::string& folder) {
  try {
    absl::StatusOr<std::unique_ptr<Engine>> engine = module.create(folder);
    if (engine.ok() && (*engine == nullptr || (*engine)->info().name != name)) {
      return absl::InternalError("the module makes another engine than its file name says");
    }
    return engine;
  } catch (const std::exception& error) {
    return absl::InternalError(error.what());
  } catch (...) {
    return absl::InternalError("the module threw something that is not a std::exception");
  }
}

absl::StatusOr<std::unique_ptr<Engine>> OpenModule(const std::string& name, const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/waystone_engine_", name, ".so");
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return absl::NotFoundError(absl::StrCat("there is no module ", path, " (not built or not installed)"));
  }
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return absl::FailedPreconditionError(absl::StrCat("cannot load the module: ", LoaderError()));
  const absl::StatusOr<const EngineModule*> module = ReadEntry(handle, path);
  if (!module.ok()) {
    dlclose(handle);
    return module.status();
  }
  // From here on the module stays mapped for the life of the process, also when its engine refuses or is
  // destroyed: engine libraries keep threads and exit handlers whose code must not vanish.
  return CreateEngine(**module, name, folder);
}

}  // namespace

EngineRegistry EngineRegistry::Open(const std::string& module_folder) {
  EngineRegistry registry;
  for (const char* name : kKnownEngines) {
    absl::StatusOr<std::unique_ptr<Engine>> engine = OpenModule(name, module_folder);
    if (engine.ok()) {
      registry.engines_.push_back(*std::move(engine));
    } else {
      registry.missing_.push_back({name, std::string(engine.status().message())});
    }
  }
  return registry;
}

std::string EngineRegistry::DefaultModuleFolder() { return InstallPrefix() + "/lib/waystone/engines"; }

void EngineRegistry::Add(std::unique_ptr<Engine> engine) {
  WAYSTONE_CHECK(engine != nullptr, "an engine to add");
  WAYSTONE_CHECK(!Find(engine->info().name).ok(), "engines have distinct names");
  engines_.push_back(std::move(engine));
}

std::vector<const Engine*> EngineRegistry::engines() const {
  std::vector<const Engine*> engines;
  engines.reserve(engines_.size());
  for (const auto& engine : engines_) engines.push_back(engine.get());
  return engines;
}

std::vector<const Engine*> EngineRegistry::ReadersOf(const std::string& format) const {
  std::vector<const Engine*> readers = engines();
  std::erase_if(readers, [&format](const Engine* engine) {
    const std::vector<std::string>& formats = engine->info().formats;
    return std::find(formats.begin(), formats.end(), format) == formats.end();
  });
  return readers;
}

absl::StatusOr<const Engine*> EngineRegistry::Find(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& engine : engines_) {
    if (engine->info().name == name) return engine.get();
    names.push_back(engine->info().name);
  }
  for (const MissingEngine& missing : missing_) {
    if (missing.name == name) {
      return absl::FailedPreconditionError(
          absl::StrCat("engine '", name, "' is not available: ", missing.reason));
    }
  }
  return absl::NotFoundError(absl::StrCat("there is no engine '", LogSafe(name), "'; there ",
                                          names.size() == 1 ? "is " : "are ",
                                          names.empty() ? "none" : absl::StrJoin(names, ", ")));
}

}  // namespace waystone
