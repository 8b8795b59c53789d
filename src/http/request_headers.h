// SPDX-License-Identifier: Apache-2.0
//
// What a request's headers say of it in every API over HTTP. Thread-safe (no state).
#pragma once

#include <string>

#include "absl/status/statusor.h"

#include "base/deadline.h"
#include "net/http_server.h"

namespace waystone {

// Waystone-Timeout-Ms, counted from the request's first byte; Never where it is not there. InvalidArgument
// for what is no number from 1 to 3600000.
absl::StatusOr<Deadline> RequestDeadline(const HttpRequest& request);

// Waystone-Stream, of which 256 bytes count; empty: none.
std::string RequestStream(const HttpRequest& request);

}  // namespace waystone
