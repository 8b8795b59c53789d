// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/limits.h"

#include "absl/strings/str_cat.h"

namespace waystone {

absl::Status CheckPictureSize(std::string_view format, int64_t width, int64_t height,
                              const PictureLimits& limits, int64_t max_pixels) {
  const absl::string_view name(format.data(), format.size());
  if (width < 1 || height < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": the header says ", width, " x ", height, " pixels"));
  }
  if (width > limits.max_side || height > limits.max_side) {
    return absl::OutOfRangeError(absl::StrCat(name, ": the picture is ", width, " x ", height,
                                              " pixels, the limit is ", limits.max_side, " pixels a side"));
  }
  if (width > max_pixels / height) {
    return absl::OutOfRangeError(absl::StrCat(name, ": the picture is ", width, " x ", height, " = ",
                                              width * height, " pixels, the limit is ", max_pixels,
                                              " pixels"));
  }
  return absl::OkStatus();
}

absl::Status CheckWorkingBytes(std::string_view format, uint64_t bytes, const PictureLimits& limits) {
  if (bytes <= limits.max_working_bytes) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrCat(absl::string_view(format.data(), format.size()), ": decoding takes up to ", bytes,
                   " bytes beside the pixels, the limit is ", limits.max_working_bytes));
}

}  // namespace waystone
