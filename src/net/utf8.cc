// SPDX-License-Identifier: Apache-2.0
#include "net/utf8.h"

#include <cstddef>
#include <cstdint>

namespace waystone {
namespace {

// The length of the sequence that `lead` begins and the bounds of its second byte (RFC 3629, section 4); 0
// for a byte that begins none.
struct Sequence {
  size_t length;
  uint8_t second_min;
  uint8_t second_max;
};

Sequence SequenceOf(uint8_t lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead < 0xC2) return {0, 0, 0};
  if (lead < 0xE0) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead < 0xF0) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead < 0xF4) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

bool IsValidUtf8(absl::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const Sequence sequence = SequenceOf(static_cast<uint8_t>(text[i]));
    if (sequence.length == 0 || sequence.length > text.size() - i) return false;
    for (size_t k = 1; k < sequence.length; ++k) {
      const uint8_t byte = static_cast<uint8_t>(text[i + k]);
      const uint8_t min = k == 1 ? sequence.second_min : 0x80;
      const uint8_t max = k == 1 ? sequence.second_max : 0xBF;
      if (byte < min || byte > max) return false;
    }
    i += sequence.length;
  }
  return true;
}

bool HasControlCharacter(absl::string_view text) {
  for (const char c : text) {
    const uint8_t byte = static_cast<uint8_t>(c);
    if (byte < 0x20 || byte == 0x7F) return true;
  }
  return false;
}

}  // namespace waystone
