// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plain_text.h"

#include <cstddef>
#include <cstdint>

namespace waystone {
namespace {

// Bytes that follow a first byte; -1 for one that cannot be first.
int FollowingBytes(uint8_t first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first <= 0xDF) return 1;
  if (first >= 0xE0 && first <= 0xEF) return 2;
  if (first >= 0xF0 && first <= 0xF4) return 3;
  return -1;
}

bool IsPlainCodePoint(uint32_t code, int following) {
  constexpr uint32_t kLeast[] = {0x20, 0xA0, 0x800,
                                 0x10000};  // control characters and overlong forms lie below
  if (code == 0x7F || code < kLeast[following] || code > 0x10FFFF) return false;
  return code < 0xD800 || code > 0xDFFF;
}

}  // namespace

bool IsPlainText(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const uint8_t first = static_cast<uint8_t>(text[i++]);
    const int following = FollowingBytes(first);
    if (following < 0 || text.size() - i < static_cast<size_t>(following)) return false;
    uint32_t code = following == 0 ? first : first & (0x3FU >> following);
    for (int n = 0; n < following; ++n) {
      const uint8_t byte = static_cast<uint8_t>(text[i++]);
      if ((byte & 0xC0) != 0x80) return false;
      code = code << 6 | (byte & 0x3FU);
    }
    if (!IsPlainCodePoint(code, following)) return false;
  }
  return true;
}

}  // namespace waystone
