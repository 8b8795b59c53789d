// SPDX-License-Identifier: Apache-2.0
//
// From an entry of the catalogue to a compiled network: reads and verifies the weights, and chooses the
// engine by model.yaml and what the caller overrides. Thread-safe (no state).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "engine/load_model.h"
#include "engine/registry.h"
#include "serving/model_catalog.h"

namespace waystone {

// What the command line or the server's configuration overrides; empty fields leave what model.yaml says.
struct PictureModelOptions {
  std::string engine;  // a name, or "auto"
  std::string precision;
  std::string device;
  int threads = 1;    // of one instance
  int instances = 1;  // seats that run at once
  std::string cache_dir;
  // Called with "device asked for" and "device taken" when a configured fallback is used.
  std::function<void(const std::string& from, const std::string& to)> on_fallback;
};

// `load` says shapes and batches; threads, instances and the cache come from `options`.
absl::StatusOr<LoadedModel> LoadEntry(const CatalogEntry& entry, const EngineRegistry& engines,
                                      LoadOptions load, const PictureModelOptions& options);

// The engines that read the weights of `spec`, in the registry's order; all where none does, so that each
// says why.
std::vector<const Engine*> EnginesFor(const EngineRegistry& engines, const ModelSpec& spec);

}  // namespace waystone
