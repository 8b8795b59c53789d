// SPDX-License-Identifier: Apache-2.0
//
// Request targets: whatever is accepted has no dot segment, no control character and is UTF-8.
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "net/url.h"
#include "net/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<waystone::RequestTarget> target = waystone::ParseRequestTarget("GET", text);
  if (!target.ok()) return 0;
  WAYSTONE_CHECK(absl::StartsWith(target->path, "/"), "a path begins with a slash");
  WAYSTONE_CHECK(!absl::StrContains(absl::StrCat(target->path, "/"), "/../"), "no dot segment");
  WAYSTONE_CHECK(!waystone::HasControlCharacter(target->path), "no control character");
  WAYSTONE_CHECK(waystone::IsValidUtf8(target->path), "UTF-8");
  for (const auto& [name, value] : target->query) {
    WAYSTONE_CHECK(waystone::IsValidUtf8(name) && waystone::IsValidUtf8(value), "UTF-8");
  }
  return 0;
}
