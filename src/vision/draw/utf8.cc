// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/utf8.h"

#include <cstddef>

namespace waystone {
namespace {

// Bytes of the sequence that `lead` begins, 0 when it begins none.
size_t SequenceLength(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// Neither a surrogate, nor past Unicode's end, nor longer than it need be.
bool IsValid(uint32_t code_point, size_t length) {
  if (length == 3) return code_point >= 0x800 && (code_point < 0xD800 || code_point > 0xDFFF);
  if (length == 4) return code_point >= 0x10000 && code_point <= 0x10FFFF;
  return true;
}

}  // namespace

uint32_t TakeCodePoint(std::string_view& text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  const size_t length = SequenceLength(lead);
  if (length == 1) {
    text.remove_prefix(1);
    return lead;
  }
  uint32_t code_point = length == 0 ? 0 : lead & (0x7FU >> length);
  bool whole = length != 0 && length <= text.size();
  for (size_t i = 1; whole && i < length; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    whole = (byte & 0xC0) == 0x80;
    code_point = code_point << 6 | (byte & 0x3F);
  }
  if (!whole || !IsValid(code_point, length)) {
    text.remove_prefix(1);
    return kReplacementCharacter;
  }
  text.remove_prefix(length);
  return code_point;
}

}  // namespace waystone
