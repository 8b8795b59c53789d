// SPDX-License-Identifier: Apache-2.0
//
// The target of a request line (RFC 9112 section 3.2, RFC 3986), decoded exactly once and refused where two
// readers could understand it differently: bad escapes, control characters, text that is not UTF-8, an
// encoded slash, and dot segments in any spelling. So a path that reaches a handler means what it says.
// Thread-safe (pure).
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace waystone {

struct RequestTarget {
  std::string path;                          // decoded; begins with '/'; no "." or ".." segment
  std::map<std::string, std::string> query;  // decoded; the last of a name wins
};

// `text` with each %XX replaced by its byte, once. InvalidArgument for a % without two hex digits.
absl::StatusOr<std::string> PercentDecode(absl::string_view text, bool plus_is_space);

// Origin form ("/a?b=c"), absolute form ("http://host/a?b=c": the host is not judged) and, for OPTIONS, "*",
// which is the path "/". InvalidArgument says which rule was broken and never repeats the target.
absl::StatusOr<RequestTarget> ParseRequestTarget(absl::string_view method, absl::string_view target);

}  // namespace waystone
