// SPDX-License-Identifier: Apache-2.0
//
// waystone health: whether a server is ready, for supervisors that can only run a command.
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"

#include "apps/command.h"
#include "base/status.h"
#include "net/http_client.h"

namespace waystone {
namespace {

struct HealthFlags {
  std::string host = "127.0.0.1";
  uint16_t port = 8002;
  int timeout_ms = 2000;
};

absl::Status Check(const HealthFlags& flags) {
  constexpr uint64_t kMaxAnswerBytes = 64 * 1024;
  const auto answer = HttpFetch(flags.host, flags.port, "GET", "/readyz", {}, "",
                                std::chrono::milliseconds(flags.timeout_ms), kMaxAnswerBytes);
  if (!answer.ok()) return answer.status();
  if (answer->status == 200) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("not ready (", answer->status, "): ", answer->body));
}

}  // namespace

void AddHealth(CLI::App& app, RunCommand& run) {
  CLI::App* command =
      app.add_subcommand("health", "Ask a server whether it is ready: exit code 0 when it is");
  auto flags = std::make_shared<HealthFlags>();
  command->add_option("--host", flags->host, "Address of the server's admin listener")
      ->type_name("ADDRESS")
      ->capture_default_str();
  command->add_option("--port", flags->port, "Port of the server's admin listener")
      ->type_name("PORT")
      ->capture_default_str();
  command->add_option("--timeout-ms", flags->timeout_ms, "Time to answer")
      ->type_name("MS")
      ->check(CLI::Range(1, 60'000))
      ->capture_default_str();
  command->callback([&run, flags] {
    run = [flags] {
      const absl::Status status = Check(*flags);
      if (!status.ok()) return Fail(status);
      std::printf("ready\n");
      return 0;
    };
  });
}

}  // namespace waystone
