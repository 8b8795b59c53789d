// SPDX-License-Identifier: Apache-2.0
//
// The server's request parser, fed in pieces whose sizes the first bytes choose, request after request as on
// one connection. Small limits, so that each is reached.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "base/check.h"
#include "net/http_request_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const size_t piece = size_t{data[0]} + 1;
  waystone::HttpServerOptions options;
  options.max_header_bytes = 512;
  options.max_header_count = 8;
  options.max_body_bytes = 256;
  options.max_chunks = 8;
  waystone::ByteBudget budget(size_t{16} * data[1]);
  std::string waiting;
  std::optional<waystone::HttpRequestParser> parser;
  for (size_t at = 2; at < size; at += piece) {
    waiting.append(reinterpret_cast<const char*>(data) + at, std::min(piece, size - at));
    for (bool progress = true; progress;) {
      if (!parser) parser.emplace(options, budget);
      waiting.erase(0, parser->Feed(waiting));
      if (parser->error()) {
        WAYSTONE_CHECK(parser->error()->status >= 400, "a refusal has the status of one");
        return 0;
      }
      WAYSTONE_CHECK(waiting.size() <= options.max_header_bytes || parser->is_complete(),
                     "what waits is bounded");
      progress = parser->is_complete() && !waiting.empty();
      if (!parser->is_complete()) continue;
      const waystone::HttpRequest request = parser->TakeRequest();
      WAYSTONE_CHECK(request.path.starts_with('/'), "a path begins with a slash");
      WAYSTONE_CHECK(request.body.size() <= options.max_body_bytes, "a body within the limit");
      WAYSTONE_CHECK(request.headers.size() <= options.max_header_count, "fields within the limit");
      parser.reset();
    }
  }
  return 0;
}
