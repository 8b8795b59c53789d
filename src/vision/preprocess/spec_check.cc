// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/spec_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/preprocess/placement.h"
#include "vision/preprocess/row_store.h"

namespace waystone {
namespace {

absl::Status CheckNormalization(const PreprocessSpec& spec) {
  if (!std::isfinite(spec.scale) || spec.scale == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("preprocess: scale is ", spec.scale, ", it must be finite and not 0"));
  }
  const Normalization normalization = MakeNormalization(spec);
  for (size_t c = 0; c < 3; ++c) {
    if (!std::isfinite(spec.std[c]) || spec.std[c] == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("preprocess: std[", c, "] is ", spec.std[c], ", it must be finite and not 0"));
    }
    if (!std::isfinite(spec.mean[c])) {
      return absl::InvalidArgumentError(
          absl::StrCat("preprocess: mean[", c, "] is ", spec.mean[c], ", not finite"));
    }
    if (!std::isfinite(normalization.shift[c]) || !std::isfinite(normalization.factor[c])) {
      return absl::InvalidArgumentError(absl::StrCat("preprocess: scale ", spec.scale, ", mean ",
                                                     spec.mean[c], " and std ", spec.std[c], " of channel ",
                                                     c, " exceed the range of float"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSpec(const PreprocessSpec& spec) {
  if (spec.width < 1 || spec.width > kMaxInputSide || spec.height < 1 || spec.height > kMaxInputSide) {
    return absl::InvalidArgumentError(absl::StrCat("preprocess: the input is ", spec.width, "x", spec.height,
                                                   ", each side must be within 1..", kMaxInputSide));
  }
  if (spec.type != DataType::kUint8 && spec.type != DataType::kInt8 && spec.type != DataType::kFloat16 &&
      spec.type != DataType::kFloat32) {
    const absl::string_view name = Name(spec.type);
    return absl::InvalidArgumentError(
        absl::StrCat("preprocess: element type ", name, " is not served, only UINT8, INT8, FP16 and FP32"));
  }
  if (spec.color == ColorOrder::kGray && spec.type != DataType::kFloat32) {
    return absl::InvalidArgumentError(
        absl::StrCat("preprocess: a grey input is served as FP32 only, not as ", Name(spec.type)));
  }
  const int least_short = std::max(spec.width, spec.height);
  if (spec.resize == ResizeMode::kCenterCrop &&
      (spec.resize_short < least_short || spec.resize_short > kMaxResizeShort)) {
    return absl::InvalidArgumentError(
        absl::StrCat("preprocess: resize_short is ", spec.resize_short, ", to cut ", spec.width, "x",
                     spec.height, " from the middle it must be within ", least_short, "..", kMaxResizeShort));
  }
  return CheckNormalization(spec);
}

absl::Status CheckPictureSize(int width, int height) {
  if (width < 1 || height < 1 || width > kMaxPictureSide || height > kMaxPictureSide) {
    return absl::InvalidArgumentError(absl::StrCat("preprocess: the picture is ", width, "x", height,
                                                   ", each side must be within 1..", kMaxPictureSide));
  }
  return absl::OkStatus();
}

absl::Status CheckPicture(ImageView image, int picture_width, int picture_height) {
  WAYSTONE_RETURN_IF_ERROR(CheckPictureSize(picture_width, picture_height));
  if (image.data == nullptr) return absl::InvalidArgumentError("preprocess: the image has no data");
  if (image.width < 1 || image.height < 1 || image.width > picture_width || image.height > picture_height) {
    return absl::InvalidArgumentError(absl::StrCat("preprocess: the image is ", image.width, "x",
                                                   image.height, ", it must be within 1x1..", picture_width,
                                                   "x", picture_height));
  }
  const size_t least_stride = 3 * static_cast<size_t>(image.width);
  if (image.stride < least_stride) {
    return absl::InvalidArgumentError(absl::StrCat("preprocess: the image's stride is ", image.stride,
                                                   " bytes, its rows have ", least_stride));
  }
  return absl::OkStatus();
}

absl::Status CheckRow(std::span<std::byte> row, size_t row_bytes, DataType type) {
  if (row.size() != row_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("preprocess: the row has ", row.size(), " bytes, the input needs ", row_bytes));
  }
  if (reinterpret_cast<uintptr_t>(row.data()) % ByteSize(type) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("preprocess: the row is not aligned to its elements of ", ByteSize(type), " bytes"));
  }
  return absl::OkStatus();
}

}  // namespace waystone
