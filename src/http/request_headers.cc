// SPDX-License-Identifier: Apache-2.0
#include "http/request_headers.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "base/log.h"

namespace waystone {

absl::StatusOr<Deadline> RequestDeadline(const HttpRequest& request) {
  constexpr int kMaxTimeoutMs = 3'600'000;
  const std::string& text = request.header("waystone-timeout-ms");
  if (text.empty()) return Deadline::Never();
  int timeout_ms = 0;
  if (!absl::SimpleAtoi(text, &timeout_ms) || timeout_ms < 1 || timeout_ms > kMaxTimeoutMs) {
    return absl::InvalidArgumentError(absl::StrCat("Waystone-Timeout-Ms is '", LogSafe(text),
                                                   "', it must be a number from 1 to ", kMaxTimeoutMs));
  }
  return Deadline::After(request.arrived, std::chrono::milliseconds(timeout_ms));
}

std::string RequestStream(const HttpRequest& request) {
  constexpr size_t kMaxBytes = 256;
  return request.header("waystone-stream").substr(0, kMaxBytes);
}

}  // namespace waystone
