// SPDX-License-Identifier: Apache-2.0
#include "types/tensor.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/checked_math.h"

namespace waystone {

absl::StatusOr<Tensor> Tensor::Create(DataType type, Shape shape, size_t max_bytes) {
  const std::optional<int64_t> count = shape.ElementCount();
  const std::optional<size_t> bytes =
      count ? CheckedMultiply<size_t>(static_cast<size_t>(*count), ByteSize(type)) : std::nullopt;
  if (!bytes)
    return absl::InvalidArgumentError(absl::StrCat("no tensor can have the shape ", shape.ToString()));
  if (*bytes > max_bytes) {
    return absl::OutOfRangeError(absl::StrCat("a tensor of shape ", shape.ToString(), " needs ", *bytes,
                                              " bytes, more than the limit of ", max_bytes));
  }
  Tensor tensor;
  tensor.type_ = type;
  tensor.shape_ = std::move(shape);
  tensor.byte_size_ = *bytes;
  // aligned_alloc wants a multiple of the alignment, and at least one unit so that data() is never null.
  const size_t rounded = (*bytes / kAlignment + 1) * kAlignment;
  tensor.data_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded)));
  if (tensor.data_ == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat("no memory for a tensor of ", *bytes, " bytes"));
  }
  std::memset(tensor.data_.get(), 0, rounded);
  return tensor;
}

std::span<std::byte> Tensor::row(int64_t i) {
  WAYSTONE_CHECK(shape_.rank() > 0 && i >= 0 && i < shape_[0], "row outside the tensor");
  const size_t row_bytes = byte_size_ / static_cast<size_t>(shape_[0]);
  return bytes().subspan(static_cast<size_t>(i) * row_bytes, row_bytes);
}

}  // namespace waystone
