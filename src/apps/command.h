// SPDX-License-Identifier: Apache-2.0
//
// What the subcommands share: each registers itself with CLI11 and leaves a function that runs it and returns
// the exit code (base/status.h). Confined to the main thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include <CLI/CLI.hpp>

#include "engine/registry.h"
#include "serving/model_catalog.h"
#include "serving/picture_model.h"

namespace waystone {

// Flags of every subcommand that touches models.
struct ModelFlags {
  std::vector<std::string> model_dirs;
  std::string engines_dir;
  PictureModelOptions options;
};

// Adds --models and --engines-dir.
void AddCatalogFlags(CLI::App& command, ModelFlags& flags);
// Adds --engine, --precision, --device and --cache-dir too.
void AddModelFlags(CLI::App& command, ModelFlags& flags);

// The catalogue of --models, or of the default directories: those of $WAYSTONE_MODELS (separated by ':'),
// else ./models and the models folder of $WAYSTONE_HOME (./.waystone), as far as they exist.
absl::StatusOr<ModelCatalog> OpenCatalog(const ModelFlags& flags);
EngineRegistry OpenEngines(const ModelFlags& flags);

// Prints "waystone: TEXT" to standard error and returns the exit code of the status.
int Fail(const absl::Status& status);

// Columns padded to their widest cell, two spaces between, numbers as given.
std::string FormatTable(const std::vector<std::vector<std::string>>& rows);

// Each returns through `run` what to do when its subcommand was chosen.
using RunCommand = std::function<int()>;
void AddPredict(CLI::App& app, RunCommand& run);
void AddModels(CLI::App& app, RunCommand& run);
void AddEngines(CLI::App& app, RunCommand& run);
void AddBench(CLI::App& app, RunCommand& run);
void AddEval(CLI::App& app, RunCommand& run);
void AddHealth(CLI::App& app, RunCommand& run);
void AddMatch(CLI::App& app, RunCommand& run);
void AddServe(CLI::App& app, RunCommand& run);

}  // namespace waystone
