// SPDX-License-Identifier: Apache-2.0
//
// How an answer looks on the wire. The server alone decides what frames a message: Content-Length,
// Transfer-Encoding and Connection of a handler are left out, as is every header that could break out of its
// line. Thread-safe (pure).
#pragma once

#include <ctime>
#include <string>

#include "absl/strings/string_view.h"

#include "net/http_server.h"

namespace waystone {

// {"error": "text"} with `text` escaped for JSON. Text that is not UTF-8 is replaced by a fixed one.
HttpResponse ServerErrorResponse(int status, absl::string_view text);

// Whether an answer of this status may have a body (RFC 9110 section 6.4.1).
bool StatusAllowsBody(int status);

enum class ConnectionOption { kNone, kClose, kKeepAlive };

// Status line and header section, with the blank line. `now` is calendar time, for Date.
std::string FormatResponseHead(const HttpResponse& response, ConnectionOption connection, std::time_t now);

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 section 5.6.7).
std::string HttpDate(std::time_t time);

}  // namespace waystone
