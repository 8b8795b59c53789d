// SPDX-License-Identifier: Apache-2.0
//
// Tells a picture's type from its first bytes. File names and declared media types lie; contents do not.
// Thread-safe (pure).
#pragma once

#include <string_view>

#include "absl/status/statusor.h"

#include "vision/decode/decode.h"

namespace waystone {

// The format, Unimplemented for a picture type that is known but not read (the text names it),
// InvalidArgument for empty input and for anything else.
absl::StatusOr<PictureFormat> DetectFormat(std::string_view encoded);

}  // namespace waystone
