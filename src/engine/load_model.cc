// SPDX-License-Identifier: Apache-2.0
#include "engine/load_model.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "base/log.h"

namespace waystone {
namespace {

// One engine's refusal.
struct Refusal {
  std::string engine;
  absl::Status status;
};

// Which of several reasons tells the user most: what is wrong with the model before what is missing on the
// machine, and that before what an engine never could.
size_t Weight(absl::StatusCode code) {
  constexpr std::array kLightToHeavy = {
      absl::StatusCode::kUnimplemented,      absl::StatusCode::kNotFound,
      absl::StatusCode::kFailedPrecondition, absl::StatusCode::kInternal,
      absl::StatusCode::kResourceExhausted,  absl::StatusCode::kInvalidArgument};
  return static_cast<size_t>(std::find(kLightToHeavy.begin(), kLightToHeavy.end(), code) -
                             kLightToHeavy.begin());
}

absl::Status Combine(const std::vector<Refusal>& refusals) {
  if (refusals.size() == 1) {
    return absl::Status(refusals.front().status.code(),
                        absl::StrCat(refusals.front().engine, ": ", refusals.front().status.message()));
  }
  const auto heaviest = std::max_element(
      refusals.begin(), refusals.end(),
      [](const Refusal& a, const Refusal& b) { return Weight(a.status.code()) < Weight(b.status.code()); });
  const auto format = [](std::string* out, const Refusal& refusal) {
    absl::StrAppend(out, refusal.engine, ": ", refusal.status.message());
  };
  return absl::Status(heaviest->status.code(), absl::StrJoin(refusals, "; ", format));
}

// Those to try, in this order. Where none is preferred those that do not read the format are not asked,
// unless that leaves none.
std::vector<std::string> EngineNames(const EngineRegistry& registry, const EngineSpec& spec,
                                     const std::string& format) {
  if (!spec.prefer.empty()) return spec.prefer;
  std::vector<const Engine*> engines = registry.ReadersOf(format);
  if (engines.empty()) engines = registry.engines();
  std::vector<std::string> names;
  for (const Engine* engine : engines) names.push_back(engine->info().name);
  return names;
}

absl::Status NoEngines(const EngineRegistry& registry) {
  const auto format = [](std::string* out, const MissingEngine& missing) {
    absl::StrAppend(out, missing.name, ": ", missing.reason);
  };
  return absl::FailedPreconditionError(
      absl::StrCat("no engine is available; ", absl::StrJoin(registry.missing(), "; ", format)));
}

std::string OnDevice(const std::string& engine, const std::string& device) {
  return absl::StrCat(engine, " on ", device);
}

void ReportFallback(const std::string& model, const std::string& from, const std::string& to,
                    const absl::Status& reason, const FallbackCallback& on_fallback) {
  LogWarning(absl::StrCat("model '", LogSafe(model), "' falls back from ", LogSafe(from), " to ", LogSafe(to),
                          ": ", LogSafe(reason.message())));
  if (on_fallback) on_fallback(from, to);
}

// The first of `engines` that loads the model with `options`; else what each said, in `refusals` and
// combined.
absl::StatusOr<LoadedModel> TryEngines(const EngineRegistry& registry,
                                       const std::vector<std::string>& engines, const ModelSource& source,
                                       const LoadOptions& options, std::vector<Refusal>& refusals) {
  for (const std::string& name : engines) {
    const absl::StatusOr<const Engine*> engine = registry.Find(name);
    if (!engine.ok()) {
      refusals.push_back({name, engine.status()});
      continue;
    }
    absl::StatusOr<std::unique_ptr<Model>> model =
        (*engine)->Load(source.bytes, source.format, source.folder, options);
    if (model.ok()) return LoadedModel{*std::move(model), name};
    refusals.push_back({name, model.status()});
  }
  return Combine(refusals);
}

}  // namespace

absl::StatusOr<LoadedModel> LoadModel(const EngineRegistry& registry, const EngineSpec& spec,
                                      const ModelSource& source, LoadOptions options,
                                      const FallbackCallback& on_fallback) {
  const std::vector<std::string> engines = EngineNames(registry, spec, source.format);
  if (engines.empty()) return NoEngines(registry);
  std::vector<std::string> devices = {spec.device};
  devices.insert(devices.end(), spec.fallback_devices.begin(), spec.fallback_devices.end());
  const std::string wanted = OnDevice(engines.front(), spec.device);
  options.precision = spec.precision;
  options.device_options = spec.options;

  absl::Status first_error;  // of the device that was asked for
  for (const std::string& device : devices) {
    options.device = device;
    std::vector<Refusal> refusals;
    absl::StatusOr<LoadedModel> loaded = TryEngines(registry, engines, source, options, refusals);
    if (loaded.ok()) {
      const std::string taken = OnDevice(loaded->engine, device);
      if (!first_error.ok()) {
        ReportFallback(source.name, wanted, taken, first_error, on_fallback);
      } else if (!refusals.empty() && !spec.prefer.empty()) {
        ReportFallback(source.name, wanted, taken, Combine(refusals), on_fallback);
      } else if (!refusals.empty()) {
        LogInfo(absl::StrCat("model '", LogSafe(source.name), "' runs on ", taken, ": ",
                             LogSafe(Combine(refusals).message())));
      }
      return loaded;
    }
    if (first_error.ok()) first_error = loaded.status();
    if (!absl::IsFailedPrecondition(loaded.status())) return loaded.status();
    options.device_options.clear();
  }
  return first_error;
}

}  // namespace waystone
