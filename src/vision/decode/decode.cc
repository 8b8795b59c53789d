// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/decode.h"

#include <new>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "base/clock.h"
#include "base/status.h"
#include "vision/decode/format.h"
#include "vision/decode/jpeg.h"
#include "vision/decode/png.h"
#include "vision/decode/webp.h"

namespace waystone {
namespace {

// Tells the format after the byte budget.
absl::StatusOr<PictureFormat> Admit(std::string_view encoded, const PictureLimits& limits) {
  if (encoded.size() > limits.max_encoded_bytes) {
    return absl::OutOfRangeError(absl::StrCat("decode picture: the input has ", encoded.size(),
                                              " bytes, the limit is ", limits.max_encoded_bytes));
  }
  return DetectFormat(encoded);
}

}  // namespace

std::string_view Name(PictureFormat format) {
  switch (format) {
    case PictureFormat::kJpeg:
      return "jpeg";
    case PictureFormat::kPng:
      return "png";
    case PictureFormat::kWebp:
      break;
  }
  return "webp";
}

absl::StatusOr<PictureInfo> ReadPictureInfo(std::string_view encoded, const PictureLimits& limits) {
  WAYSTONE_ASSIGN_OR_RETURN(const PictureFormat format, Admit(encoded, limits));
  switch (format) {
    case PictureFormat::kJpeg:
      return ReadJpegInfo(encoded, limits);
    case PictureFormat::kPng:
      return ReadPngInfo(encoded, limits);
    case PictureFormat::kWebp:
      break;
  }
  return ReadWebpInfo(encoded, limits);
}

absl::StatusOr<DecodedPicture> DecodePicture(std::string_view encoded, const DecodeOptions& options) {
  WAYSTONE_ASSIGN_OR_RETURN(const PictureFormat format, Admit(encoded, options.limits));
  if (!options.deadline.is_never() && options.deadline.HasPassed(SteadyClock().Now())) {
    return absl::DeadlineExceededError("decode picture: the deadline passed before the decode began");
  }
  try {
    switch (format) {
      case PictureFormat::kJpeg:
        return DecodeJpeg(encoded, options);
      case PictureFormat::kPng:
        return DecodePng(encoded, options);
      case PictureFormat::kWebp:
        break;
    }
    return DecodeWebp(encoded, options);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("decode picture: no memory for the pixels");
  }
}

}  // namespace waystone
