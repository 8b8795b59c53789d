// SPDX-License-Identifier: Apache-2.0
//
// A small blocking HTTP/1.1 client: one request, one connection, one time limit for everything. For tests,
// health checks and the program's own calls to a neighbour; not a pool. Thread-safe (no state).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

#include "base/clock.h"

namespace waystone {

struct HttpClientResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;

  // The value of a header by lower-case name, or "".
  const std::string& header(const std::string& name) const;
};

inline constexpr uint64_t kDefaultMaxResponseBytes = uint64_t{64} << 20;

// Sends one request and reads its answer, whatever its status. `host` is a name or an address (IPv6 without
// brackets). Host, Content-Length and Connection: close are set here; `headers` may hold others.
// DeadlineExceeded after `timeout`, Unavailable when the server cannot be reached or breaks off, OutOfRange
// when the body is longer than `max_response_bytes`, InvalidArgument for a request that cannot be written (a
// line break in a header). Looking up a name that is not an address may take the system's time beyond
// `timeout`.
absl::StatusOr<HttpClientResponse> HttpFetch(const std::string& host, uint16_t port,
                                             const std::string& method, const std::string& target,
                                             const std::vector<std::pair<std::string, std::string>>& headers,
                                             std::string body, Duration timeout,
                                             uint64_t max_response_bytes = kDefaultMaxResponseBytes);

}  // namespace waystone
