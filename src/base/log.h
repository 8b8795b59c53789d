// SPDX-License-Identifier: Apache-2.0
//
// The program's log: one line an event to standard error, levelled, through spdlog. Thread-safe. Use it for
// what an operator must know (starts, stops, degraded modes), never per request at the default level.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace waystone {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

void Log(LogLevel level, absl::string_view message);
inline void LogInfo(absl::string_view message) { Log(LogLevel::kInfo, message); }
inline void LogWarning(absl::string_view message) { Log(LogLevel::kWarning, message); }
inline void LogError(absl::string_view message) { Log(LogLevel::kError, message); }

// "debug", "info", "warning" or "error"; InvalidArgument names the choices. The default is "info".
absl::Status SetLogLevel(absl::string_view name);

// Control characters replaced by \xNN, so that text from outside cannot forge lines or drive a terminal.
std::string LogSafe(absl::string_view text);

}  // namespace waystone
