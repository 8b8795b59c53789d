// SPDX-License-Identifier: Apache-2.0
//
// What the fuzz targets of the decoders share: any bytes give a picture that agrees with its header or a
// clean error, strictly, partially and scaled. Budgets are small, so that a run takes microseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "vision/decode/decode.h"

namespace waystone {

inline void CheckDecode(std::string_view encoded, const DecodeOptions& options) {
  const auto picture = DecodePicture(encoded, options);
  if (!picture.ok()) {
    const absl::StatusCode code = picture.status().code();
    WAYSTONE_CHECK(code == absl::StatusCode::kInvalidArgument || code == absl::StatusCode::kDataLoss ||
                       code == absl::StatusCode::kOutOfRange || code == absl::StatusCode::kUnimplemented,
                   "an error of the input has one of four codes");
    return;
  }
  const Image& image = picture->image;
  WAYSTONE_CHECK(image.width >= 1 && image.width <= picture->info.width, "no wider than the header says");
  WAYSTONE_CHECK(image.height >= 1 && image.height <= picture->info.height, "no higher than the header says");
  WAYSTONE_CHECK(image.pixels.size() == size_t{3} * image.width * image.height,
                 "as many pixels as its size says");
  WAYSTONE_CHECK(options.allow_partial || !picture->partial, "partial only when asked for");
  WAYSTONE_CHECK(ReadPictureInfo(encoded, options.limits).ok(), "what decodes has a header");
}

// Decodes the bytes if they begin as the format under test does.
inline void FuzzDecoder(std::string_view magic, const uint8_t* data, size_t size) {
  const std::string_view encoded(reinterpret_cast<const char*>(data), size);
  if (encoded.substr(0, magic.size()) != magic) return;
  DecodeOptions options;
  options.limits.max_pixels = 1 << 14;
  options.limits.max_scaled_source_pixels = 1 << 15;
  options.limits.max_side = 1 << 10;
  options.limits.max_working_bytes = 1 << 20;
  CheckDecode(encoded, options);
  options.allow_partial = true;
  CheckDecode(encoded, options);
  options.min_width = 5;
  options.min_height = 3;
  CheckDecode(encoded, options);
}

}  // namespace waystone
