// SPDX-License-Identifier: Apache-2.0
#include "http/json_response.h"

#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include <nlohmann/json.hpp>

#include "base/status.h"
#include "types/refusal.h"

namespace waystone {

HttpResponse JsonResponse(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

HttpResponse ErrorResponse(int status, absl::string_view message, absl::string_view reason) {
  nlohmann::ordered_json body = {{"error", std::string(message)}};
  if (!reason.empty()) body["reason"] = std::string(reason);
  HttpResponse response =
      JsonResponse(status, body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

namespace {

// What a refusal says of another try: whole seconds for everyone, milliseconds for who can use them.
HttpResponse RefusalResponse(int code, const absl::Status& status, Duration retry_after) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(retry_after).count();
  const nlohmann::ordered_json body = {
      {"error", std::string(status.message())}, {"reason", RefusalReasonOf(status)}, {"retry_after_ms", ms}};
  HttpResponse response =
      JsonResponse(code, body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  response.headers.emplace_back("Retry-After",
                                absl::StrCat(std::chrono::ceil<std::chrono::seconds>(retry_after).count()));
  return response;
}

}  // namespace

HttpResponse StatusResponse(const absl::Status& status, int unimplemented) {
  const int code = absl::IsUnimplemented(status) ? unimplemented : HttpStatus(status.code());
  if (const std::optional<Duration> retry_after = RetryAfterOf(status); retry_after.has_value()) {
    return RefusalResponse(code, status, *retry_after);
  }
  return ErrorResponse(code, absl::string_view(status.message()), RefusalReasonOf(status));
}

}  // namespace waystone
