// SPDX-License-Identifier: Apache-2.0
//
// JPEG by libjpeg-turbo: baseline, 4:2:0. The library reports errors by longjmp, so the calls into it stand
// apart from everything that has a destructor. Thread-safe (no state).
#pragma once

#include <string>

#include "absl/status/statusor.h"

#include "types/image.h"

namespace waystone {

inline constexpr int kLargestJpegSide = 65500;  // pixels; libjpeg's

// `image` is not empty and within kLargestJpegSide; `quality` is 1..100.
absl::StatusOr<std::string> EncodeJpeg(ImageView image, int quality);

}  // namespace waystone
