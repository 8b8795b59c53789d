// SPDX-License-Identifier: Apache-2.0
//
// The program: one subcommand a file, chosen here.
#include <string>

#include "apps/command.h"
#include "base/log.h"

namespace waystone {
namespace {

std::string VersionText() {
  const EngineRegistry engines = EngineRegistry::Open(EngineRegistry::DefaultModuleFolder());
  std::string text = "waystone " WAYSTONE_VERSION "\n";
  for (const Engine* engine : engines.engines())
    text += engine->info().name + " " + engine->info().version + "\n";
  for (const MissingEngine& missing : engines.missing())
    text += missing.name + " missing: " + missing.reason + "\n";
  text.pop_back();
  return text;
}

int Main(int argc, char** argv) {
  CLI::App app(
      "Waystone answers camera frames before the next one comes: it recognises what is in a picture, on the\n"
      "command line and over HTTP.",
      "waystone");
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", VersionText, "Print the versions of the program and its engines");
  std::string log_level = "info";
  app.add_option("--log-level", log_level, "debug, info, warning or error")
      ->type_name("NAME")
      ->capture_default_str();
  app.footer(
      "Start with:\n  waystone models list\n  waystone predict PHOTO --model NAME --annotate OUT\n"
      "  waystone serve\n\nwaystone SUBCOMMAND --help says more.");
  RunCommand run;
  AddPredict(app, run);
  AddServe(app, run);
  AddModels(app, run);
  AddEngines(app, run);
  AddBench(app, run);
  AddEval(app, run);
  AddMatch(app, run);
  AddHealth(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 64;  // EX_USAGE
  }
  if (absl::Status status = SetLogLevel(log_level); !status.ok()) return Fail(status);
  return run();
}

}  // namespace
}  // namespace waystone

int main(int argc, char** argv) { return waystone::Main(argc, argv); }
