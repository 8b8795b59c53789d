// SPDX-License-Identifier: Apache-2.0
#include "serving/load_entry.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include "base/status.h"

namespace waystone {
namespace {

// The engine's name for a file of this name.
absl::StatusOr<std::string> FormatOf(const std::string& file) {
  if (absl::EndsWith(file, ".onnx")) return "onnx";
  if (absl::EndsWith(file, ".xml")) return "ir";
  if (absl::EndsWith(file, ".tflite")) return "tflite";
  return absl::InvalidArgumentError(
      absl::StrCat("weights file '", file, "' is neither .onnx, .xml nor .tflite"));
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

absl::StatusOr<LoadedModel> LoadEntry(const CatalogEntry& entry, const EngineRegistry& engines,
                                      LoadOptions load, const PictureModelOptions& options) {
  WAYSTONE_ASSIGN_OR_RETURN(const std::string bytes, ReadWeights(entry));
  WAYSTONE_ASSIGN_OR_RETURN(const std::string format, FormatOf(entry.spec.file));
  EngineSpec engine_spec = entry.spec.engine;
  if (!options.engine.empty() && options.engine != "auto") engine_spec.prefer = {options.engine};
  if (!options.device.empty()) engine_spec.device = options.device;
  if (!options.precision.empty()) engine_spec.precision = options.precision;
  load.threads = options.threads;
  load.instances = options.instances;
  load.cache_dir = options.cache_dir;
  const ModelSource source{entry.name, bytes, format, FolderOf(entry.weights)};
  absl::StatusOr<LoadedModel> chosen = LoadModel(engines, engine_spec, source, load, options.on_fallback);
  if (!chosen.ok()) return Annotate(chosen.status(), absl::StrCat("loading ", entry.name));
  return chosen;
}

std::vector<const Engine*> EnginesFor(const EngineRegistry& engines, const ModelSpec& spec) {
  const absl::StatusOr<std::string> format = FormatOf(spec.file);
  std::vector<const Engine*> readers;
  if (format.ok()) readers = engines.ReadersOf(*format);
  return readers.empty() ? engines.engines() : readers;
}

}  // namespace waystone
