// SPDX-License-Identifier: Apache-2.0
//
// Text from model folders ends up in logs, terminals and JSON, so it is checked once, where it is read.
// Thread-safe.
#pragma once

#include <string_view>

namespace waystone {

// True for valid UTF-8 (RFC 3629: no overlong forms, no surrogates) without control characters.
bool IsPlainText(std::string_view text);

}  // namespace waystone
