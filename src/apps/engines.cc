// SPDX-License-Identifier: Apache-2.0
//
// waystone engines: which engines and devices this machine has, and what is missing for the others.
#include <cstdio>
#include <memory>

#include "absl/strings/str_join.h"
#include <nlohmann/json.hpp>

#include "apps/command.h"

namespace waystone {
namespace {

void PrintJson(const EngineRegistry& engines) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Engine* engine : engines.engines()) {
    const EngineInfo& info = engine->info();
    nlohmann::ordered_json devices = nlohmann::ordered_json::array();
    for (const DeviceInfo& device : info.devices) {
      devices.push_back({{"name", device.name},
                         {"available", device.available},
                         {"reason", device.reason},
                         {"precisions", device.precisions}});
    }
    list.push_back(
        {{"name", info.name}, {"version", info.version}, {"formats", info.formats}, {"devices", devices}});
  }
  nlohmann::ordered_json missing = nlohmann::ordered_json::array();
  for (const MissingEngine& engine : engines.missing()) {
    missing.push_back({{"name", engine.name}, {"reason", engine.reason}});
  }
  const nlohmann::ordered_json document = {{"engines", list}, {"missing", missing}};
  std::printf("%s\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

void PrintTable(const EngineRegistry& engines) {
  std::vector<std::vector<std::string>> rows = {{"ENGINE", "VERSION", "FORMATS", "DEVICE", "STATE"}};
  for (const Engine* engine : engines.engines()) {
    const EngineInfo& info = engine->info();
    for (const DeviceInfo& device : info.devices) {
      rows.push_back({info.name, info.version, absl::StrJoin(info.formats, ","), device.name,
                      device.available ? "ready: " + absl::StrJoin(device.precisions, ", ")
                                       : "missing: " + device.reason});
    }
  }
  for (const MissingEngine& engine : engines.missing()) {
    rows.push_back({engine.name, "-", "-", "-", "missing: " + engine.reason});
  }
  std::printf("%s", FormatTable(rows).c_str());
}

}  // namespace

void AddEngines(CLI::App& app, RunCommand& run) {
  CLI::App* command = app.add_subcommand("engines", "List engines and devices, and say what is missing");
  auto flags = std::make_shared<ModelFlags>();
  auto json = std::make_shared<bool>(false);
  command
      ->add_option("--engines-dir", flags->engines_dir,
                   "Folder of the engine modules (default: beside the program)")
      ->type_name("DIR");
  command->add_flag("--json", *json, "Print JSON");
  command->callback([&run, flags, json] {
    run = [flags, json] {
      const EngineRegistry engines = OpenEngines(*flags);
      if (*json) {
        PrintJson(engines);
      } else {
        PrintTable(engines);
      }
      return engines.engines().empty() ? 69 : 0;
    };
  });
}

}  // namespace waystone
