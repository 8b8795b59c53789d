// SPDX-License-Identifier: Apache-2.0
//
// Whether bytes are UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). Text from
// outside that may come back in a JSON answer must pass this first. Thread-safe (pure).
#pragma once

#include "absl/strings/string_view.h"

namespace waystone {

bool IsValidUtf8(absl::string_view text);

// True when a byte below 0x20 or 0x7F is in `text`.
bool HasControlCharacter(absl::string_view text);

}  // namespace waystone
