// SPDX-License-Identifier: Apache-2.0
#include "grpc/library_logs.h"

#include <string>

#include "absl/strings/str_cat.h"
#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include "base/log.h"

namespace waystone {
namespace {

void WriteGrpc(gpr_log_func_args* line) {
  Log(LogLevel::kDebug, absl::StrCat("gRPC: ", LogSafe(line->message)));
}

void WriteProtobuf(google::protobuf::LogLevel level, const char*, int, const std::string& message) {
  // Protobuf ends the program after a fatal line.
  Log(level == google::protobuf::LOGLEVEL_FATAL ? LogLevel::kError : LogLevel::kDebug,
      absl::StrCat("protobuf: ", LogSafe(message)));
}

}  // namespace

void RouteLibraryLogs() {
  gpr_set_log_function(&WriteGrpc);
  google::protobuf::SetLogHandler(&WriteProtobuf);
}

}  // namespace waystone
