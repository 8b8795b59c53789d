// SPDX-License-Identifier: Apache-2.0
#include "apps/command.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_split.h"

#include "base/status.h"

namespace waystone {

void AddCatalogFlags(CLI::App& command, ModelFlags& flags) {
  command
      .add_option(
          "--models", flags.model_dirs,
          "Folder of model folders; may be given several times: a model's weights may lie under another one")
      ->type_name("DIR")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command
      .add_option("--engines-dir", flags.engines_dir,
                  "Folder of the engine modules (default: beside the program)")
      ->type_name("DIR");
}

void AddModelFlags(CLI::App& command, ModelFlags& flags) {
  AddCatalogFlags(command, flags);
  command
      .add_option("--engine", flags.options.engine, "auto, tflite, openvino or onnxruntime (default: auto)")
      ->type_name("NAME");
  command
      .add_option("--precision", flags.options.precision,
                  "f32, bf16 or f16 (default: what the model says, else f32)")
      ->type_name("NAME");
  command
      .add_option("--device", flags.options.device,
                  "cpu, cuda, tensorrt or plugin:NAME (default: what the model says)")
      ->type_name("NAME");
  command
      .add_option("--cache-dir", flags.options.cache_dir,
                  "Keep compiled networks here, so that the next start is faster")
      ->type_name("DIR");
}

absl::StatusOr<ModelCatalog> OpenCatalog(const ModelFlags& flags) {
  if (!flags.model_dirs.empty()) return ModelCatalog::Scan(flags.model_dirs);
  std::vector<std::string> dirs;
  if (const char* chosen = std::getenv("WAYSTONE_MODELS"); chosen != nullptr && *chosen != '\0') {
    dirs = absl::StrSplit(chosen, ':', absl::SkipEmpty());
    return ModelCatalog::Scan(dirs);
  }
  const char* home = std::getenv("WAYSTONE_HOME");
  for (const std::string& dir :
       {std::string("models"), std::string(home != nullptr ? home : ".waystone") + "/models"}) {
    std::error_code error;
    if (std::filesystem::is_directory(dir, error)) dirs.push_back(dir);
  }
  return ModelCatalog::Scan(dirs);
}

EngineRegistry OpenEngines(const ModelFlags& flags) {
  return EngineRegistry::Open(flags.engines_dir.empty() ? EngineRegistry::DefaultModuleFolder()
                                                        : flags.engines_dir);
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "waystone: %s\n", std::string(status.message()).c_str());
  return ExitCode(status.code());
}

std::string FormatTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - row[i].size() + 2, ' ');
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace waystone
