// SPDX-License-Identifier: Apache-2.0
//
// What Preprocessor refuses, each with the value and the limit in the text: specs that cannot be carried out,
// pictures and rows that do not fit. Everything after these checks is arithmetic that cannot fail. Pure;
// thread-safe.
#pragma once

#include <cstddef>
#include <span>

#include "absl/status/status.h"

#include "types/data_type.h"
#include "types/image.h"
#include "types/model_spec.h"

namespace waystone {

inline constexpr int kMaxInputSide = 8192;  // of the network's input, pixels
inline constexpr int kMaxResizeShort = 16384;

absl::Status CheckSpec(const PreprocessSpec& spec);
absl::Status CheckPictureSize(int width, int height);
// `image` is the picture or a smaller decode of it.
absl::Status CheckPicture(ImageView image, int picture_width, int picture_height);
// `row` has the right size and is aligned to its element type.
absl::Status CheckRow(std::span<std::byte> row, size_t row_bytes, DataType type);

}  // namespace waystone
