// SPDX-License-Identifier: Apache-2.0
//
// WebP by libwebp: lossy, lossless, with alpha, and the first frame of an animation on its canvas. Pixels are
// decoded into the picture's own memory; alpha takes one more byte a pixel. Thread-safe (no state).
//
// libwebp keeps a lossless picture (and a lossless alpha plane) whole while it decodes, 4 bytes a pixel, and
// tables for its prefix codes; both are counted against PictureLimits::max_working_bytes beforehand. Lossy
// data are fed in a few slices, so that a deadline can end the decode.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"

#include "vision/decode/decode.h"

namespace waystone {

absl::StatusOr<PictureInfo> ReadWebpInfo(std::string_view encoded, const PictureLimits& limits);
absl::StatusOr<DecodedPicture> DecodeWebp(std::string_view encoded, const DecodeOptions& options);

}  // namespace waystone
