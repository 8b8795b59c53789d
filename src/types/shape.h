// SPDX-License-Identifier: Apache-2.0
//
// The dimensions of a tensor. kDynamicDim (-1) stands for a size known only at run time. A value type;
// element counts are computed with overflow checks because shapes come from requests and files.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace waystone {

inline constexpr int64_t kDynamicDim = -1;

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

  size_t rank() const { return dims_.size(); }
  int64_t operator[](size_t axis) const { return dims_[axis]; }
  int64_t& operator[](size_t axis) { return dims_[axis]; }
  const std::vector<int64_t>& dims() const { return dims_; }
  auto begin() const { return dims_.begin(); }
  auto end() const { return dims_.end(); }

  // True when no dimension is dynamic or negative.
  bool is_static() const;
  // The number of elements; nothing when a dimension is negative or the product exceeds int64. 1 for rank 0.
  std::optional<int64_t> ElementCount() const;
  // True when both have the same rank and each dimension is equal or dynamic in `this`.
  bool Accepts(const Shape& actual) const;
  // "[1,3,-1,416]".
  std::string ToString() const;

  friend bool operator==(const Shape& a, const Shape& b) { return a.dims_ == b.dims_; }

 private:
  std::vector<int64_t> dims_;
};

}  // namespace waystone
