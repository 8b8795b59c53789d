// SPDX-License-Identifier: Apache-2.0
//
// The checks of a picture's budgets that all decoders share. Each error names the offending number and the
// limit, and each check happens before the memory it guards is taken. Thread-safe (pure). Sizes in pixels and
// bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

#include "types/picture_limits.h"

namespace waystone {

// InvalidArgument for an empty side, OutOfRange for one over `limits.max_side` or for more than `max_pixels`
// pixels.
absl::Status CheckPictureSize(std::string_view format, int64_t width, int64_t height,
                              const PictureLimits& limits, int64_t max_pixels);

// OutOfRange when the decoder's own memory, as foreseen from the header, is over `limits.max_working_bytes`.
absl::Status CheckWorkingBytes(std::string_view format, uint64_t bytes, const PictureLimits& limits);

}  // namespace waystone
