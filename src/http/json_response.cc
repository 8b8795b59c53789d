// SPDX-License-Identifier: Apache-2.0
#include "http/json_response.h"

#include <utility>

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

HttpResponse StatusResponse(const absl::Status& status) {
  const int code = status.code() == absl::StatusCode::kUnimplemented ? 415 : HttpStatus(status.code());
  return ErrorResponse(code, absl::string_view(status.message()), RefusalReasonOf(status));
}

}  // namespace waystone
