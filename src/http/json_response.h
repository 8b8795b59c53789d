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
// By the table of base/status.h; Unimplemented becomes `unimplemented`: 415 where it is a type that we do not
// read. A refusal says when to try again.
HttpResponse StatusResponse(const absl::Status& status, int unimplemented = 415);

}  // namespace waystone
