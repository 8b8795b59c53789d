// SPDX-License-Identifier: Apache-2.0
//
// JPEG by libjpeg-turbo, straight to upright RGB. Colours, upsampling and transform are the library's
// defaults, so that pixels equal what OpenCV and Pillow give. Thread-safe (no state).
//
// Strict by default: damage that costs pixels is an error. What costs none is let pass: bytes between
// segments, an unknown JFIF revision or Adobe transform, an unusual order of progressive scans, a missing end
// marker.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"

#include "vision/decode/decode.h"

namespace waystone {

absl::StatusOr<PictureInfo> ReadJpegInfo(std::string_view encoded, const PictureLimits& limits);
absl::StatusOr<DecodedPicture> DecodeJpeg(std::string_view encoded, const DecodeOptions& options);

}  // namespace waystone
