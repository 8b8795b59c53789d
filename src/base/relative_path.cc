// SPDX-License-Identifier: Apache-2.0
#include "base/relative_path.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_split.h"

namespace waystone {

bool StaysInFolder(absl::string_view path) {
  constexpr size_t kMaxBytes = 1024;
  if (path.empty() || path.size() > kMaxBytes) return false;
  const bool plain = std::all_of(path.begin(), path.end(), [](char c) {
    const unsigned char byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte != 0x7F && c != '\\';
  });
  if (!plain) return false;
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

}  // namespace waystone
