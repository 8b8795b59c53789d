// SPDX-License-Identifier: Apache-2.0
//
// File names that come from inside a file (a model's weights, a data set's pictures) and are looked up beside
// it: they must not lead out of the folder. Thread-safe (pure).
#pragma once

#include "absl/strings/string_view.h"

namespace waystone {

// True for a relative path of 1 to 1024 bytes without an empty, "." or ".." part, a backslash or a control
// character.
bool StaysInFolder(absl::string_view path);

}  // namespace waystone
