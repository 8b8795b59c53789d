// SPDX-License-Identifier: Apache-2.0
//
// Encoded picture to upright 8-bit RGB. The type is told by content, never by name. The header is read first
// and every budget of PictureLimits is checked before memory is taken. Thread-safe (no state); no call
// throws.
//
// JPEG (baseline, progressive, grey, RGB, CMYK, YCCK), PNG (every colour type and depth, interlaced), WebP
// (lossy, lossless, first frame of an animation). Alpha is composed over `background`. 16-bit samples keep
// their upper 8 bits. Errors: Unimplemented (a type we do not read; the text names it), InvalidArgument
// (broken), DataLoss (truncated, when partial pictures are not asked for), OutOfRange (over a budget; the
// text names both numbers), DeadlineExceeded.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

#include "base/deadline.h"
#include "types/image.h"
#include "types/picture_limits.h"

namespace waystone {

enum class PictureFormat { kJpeg, kPng, kWebp };
// "jpeg", "png", "webp".
std::string_view Name(PictureFormat format);

// What the header says.
struct PictureInfo {
  PictureFormat format = PictureFormat::kJpeg;
  int width = 0;  // of the upright picture, pixels
  int height = 0;
  int orientation = 1;  // EXIF 1..8; 5..8 swap the sides (already done in width and height)
  bool progressive = false;
};

struct DecodeOptions {
  PictureLimits limits;
  // The least size that serves: a JPEG may be decoded at 1/2, 1/4 or 1/8 as long as the result covers this
  // many pixels on both sides. 0: full size.
  int min_width = 0;
  int min_height = 0;
  std::array<uint8_t, 3> background = {255, 255, 255};  // under transparent pixels, RGB
  bool allow_partial = false;  // give the decoded part of a truncated picture; the rest is grey (128)
  Deadline deadline = Deadline::Never();
};

struct DecodedPicture {
  Image image;  // upright; smaller than `info` when a scaled decode served
  PictureInfo info;
  bool partial = false;  // data were missing (only with allow_partial)
};

// The header only: no pixel is decoded. Of the budgets, those that no options of a decode could meet are
// checked here (a JPEG may have max_scaled_source_pixels).
absl::StatusOr<PictureInfo> ReadPictureInfo(std::string_view encoded, const PictureLimits& limits);
absl::StatusOr<DecodedPicture> DecodePicture(std::string_view encoded, const DecodeOptions& options);

}  // namespace waystone
