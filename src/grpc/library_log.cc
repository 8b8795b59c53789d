// SPDX-License-Identifier: Apache-2.0
#include "grpc/library_log.h"

#include "absl/strings/str_cat.h"
#include <grpc/support/log.h>

#include "base/log.h"

namespace waystone {
namespace {

void Write(gpr_log_func_args* line) { Log(LogLevel::kDebug, absl::StrCat("gRPC: ", LogSafe(line->message))); }

}  // namespace

void RouteGrpcLog() { gpr_set_log_function(&Write); }

}  // namespace waystone
