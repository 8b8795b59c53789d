// SPDX-License-Identifier: Apache-2.0
//
// Tensors: dense, row-major, host memory. TensorView borrows, Tensor owns 64-byte aligned memory (what SIMD
// and the engines like best). Both are thread-compatible values.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

#include "absl/status/statusor.h"

#include "base/check.h"
#include "types/data_type.h"
#include "types/shape.h"

namespace waystone {

// A tensor somebody else owns. `data` has exactly ElementCount(shape) * ByteSize(type) bytes.
struct TensorView {
  DataType type = DataType::kFloat32;
  Shape shape;
  std::span<std::byte> data;

  // The elements as T. T must be as wide as the type; wrong widths are a defect of the caller.
  template <typename T>
  std::span<T> As() const {
    WAYSTONE_CHECK(sizeof(T) == ByteSize(type), "element type of another width");
    return {reinterpret_cast<T*>(data.data()), data.size() / sizeof(T)};
  }
};

class Tensor {
 public:
  static constexpr size_t kAlignment = 64;

  Tensor() = default;
  // Zeroed memory for `shape`. InvalidArgument when the shape is not static or its size overflows, OutOfRange
  // when it needs more than `max_bytes`; nothing is taken in either case.
  static absl::StatusOr<Tensor> Create(DataType type, Shape shape, size_t max_bytes = size_t{1} << 31);

  DataType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  size_t byte_size() const { return byte_size_; }
  std::span<std::byte> bytes() { return {data_.get(), byte_size_}; }
  std::span<const std::byte> bytes() const { return {data_.get(), byte_size_}; }
  // The bytes of row `i` along the first axis (a picture of a batch).
  std::span<std::byte> row(int64_t i);
  TensorView view() { return {type_, shape_, bytes()}; }
  template <typename T>
  std::span<T> As() {
    return view().As<T>();
  }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  DataType type_ = DataType::kFloat32;
  Shape shape_{0};
  size_t byte_size_ = 0;
  std::unique_ptr<std::byte, Free> data_;
};

}  // namespace waystone
