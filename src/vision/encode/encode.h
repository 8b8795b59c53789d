// SPDX-License-Identifier: Apache-2.0
//
// Upright RGB to an encoded picture. Thread-safe (no state); no call throws.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

#include "types/image.h"

namespace waystone {

enum class EncodedFormat { kJpeg, kPng, kWebp };

// `quality` 1..100 for JPEG and WebP. InvalidArgument for an empty picture, a quality outside its range, or a
// side beyond what the format holds (JPEG 65500, WebP 16383).
absl::StatusOr<std::string> EncodePicture(ImageView image, EncodedFormat format, int quality = 90);

// An 8-bit grey PNG of width x height bytes, rows from the top. Errors as above.
absl::StatusOr<std::string> EncodeGrayPng(const uint8_t* pixels, int width, int height);

}  // namespace waystone
