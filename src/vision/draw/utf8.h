// SPDX-License-Identifier: Apache-2.0
//
// Reads UTF-8 (RFC 3629) one code point at a time. Any bytes are accepted: each that begins no valid sequence
// gives U+FFFD. Thread-safe (pure).
#pragma once

#include <cstdint>
#include <string_view>

namespace waystone {

inline constexpr uint32_t kReplacementCharacter = 0xFFFD;

// Takes the first code point off `text`, which is not empty.
uint32_t TakeCodePoint(std::string_view& text);

}  // namespace waystone
