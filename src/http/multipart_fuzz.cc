// SPDX-License-Identifier: Apache-2.0
//
// The first line of the input is the Content-Type, the rest the body. Parts must lie inside the body.
#include <cstdint>

#include "base/check.h"
#include "http/multipart.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  if (line == absl::string_view::npos) return 0;
  const absl::string_view body = text.substr(line + 1);
  const waystone::MultipartLimits limits{.max_parts = 4, .max_part_header_bytes = 256};
  const auto parts = waystone::ParseMultipart(text.substr(0, line), body, limits);
  if (!parts.ok()) return 0;
  WAYSTONE_CHECK(parts->size() <= limits.max_parts, "parts within the limit");
  for (const waystone::MultipartPart& part : *parts) {
    WAYSTONE_CHECK(
        part.body.data() >= body.data() && part.body.data() + part.body.size() <= body.data() + body.size(),
        "a part lies in the body");
  }
  return 0;
}
