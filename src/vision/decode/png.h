// SPDX-License-Identifier: Apache-2.0
//
// PNG by libspng, row by row to upright RGB: beside the pixels it takes a few rows, interlaced or not. Of an
// animated PNG the still picture is read. Thread-safe (no state).
//
// The library sees only what pixels depend on (see png_chunks.h): metadata can neither break a picture nor
// unpack into memory. Gamma and colour profiles are ignored, as by the other decoders of camera pictures.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"

#include "vision/decode/decode.h"

namespace waystone {

absl::StatusOr<PictureInfo> ReadPngInfo(std::string_view encoded, const PictureLimits& limits);
absl::StatusOr<DecodedPicture> DecodePng(std::string_view encoded, const DecodeOptions& options);

}  // namespace waystone
