// SPDX-License-Identifier: Apache-2.0
//
// Answers and errors as JSON bodies. Errors are {"error": "..."}, with "reason" where the request was
// refused, and Retry-After where trying again makes sense. Thread-safe (no state).
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

#include "net/http_server.h"

namespace waystone {

HttpResponse JsonResponse(int status, std::string body);
HttpResponse ErrorResponse(int status, absl::string_view message, absl::string_view reason = "");
// By the table of base/status.h; a type we do not read becomes 415.
HttpResponse StatusResponse(const absl::Status& status);

}  // namespace waystone
