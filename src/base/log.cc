// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace waystone {
namespace {

spdlog::logger& Logger() {
  static spdlog::logger& logger = *[] {
    auto* made = new spdlog::logger("waystone", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
    made->flush_on(spdlog::level::info);
    return made;
  }();
  return logger;
}

}  // namespace

void Log(LogLevel level, absl::string_view message) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                   spdlog::level::warn, spdlog::level::err};
  Logger().log(kLevels[static_cast<int>(level)], spdlog::string_view_t(message.data(), message.size()));
}

absl::Status SetLogLevel(absl::string_view name) {
  if (name == "debug") {
    Logger().set_level(spdlog::level::debug);
  } else if (name == "info") {
    Logger().set_level(spdlog::level::info);
  } else if (name == "warning") {
    Logger().set_level(spdlog::level::warn);
  } else if (name == "error") {
    Logger().set_level(spdlog::level::err);
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown log level '", LogSafe(name), "'; choose debug, info, warning or error"));
  }
  return absl::OkStatus();
}

std::string LogSafe(absl::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      absl::StrAppendFormat(&safe, "\\x%02x", byte);
    } else {
      safe.push_back(c);
    }
  }
  return safe;
}

}  // namespace waystone
