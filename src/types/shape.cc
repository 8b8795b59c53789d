// SPDX-License-Identifier: Apache-2.0
#include "types/shape.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "base/checked_math.h"

namespace waystone {

bool Shape::is_static() const {
  for (const int64_t dim : dims_) {
    if (dim < 0) return false;
  }
  return true;
}

std::optional<int64_t> Shape::ElementCount() const {
  // Zero is looked at last: a dimension of zero must not hide an overflow or a negative one beside it.
  int64_t count = 1;
  bool empty = false;
  for (const int64_t dim : dims_) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) {
      empty = true;
      continue;
    }
    const std::optional<int64_t> product = CheckedMultiply(count, dim);
    if (!product) return std::nullopt;
    count = *product;
  }
  return empty ? 0 : count;
}

bool Shape::Accepts(const Shape& actual) const {
  if (rank() != actual.rank()) return false;
  for (size_t i = 0; i < rank(); ++i) {
    if (dims_[i] != kDynamicDim && dims_[i] != actual.dims_[i]) return false;
  }
  return true;
}

std::string Shape::ToString() const { return absl::StrCat("[", absl::StrJoin(dims_, ","), "]"); }

}  // namespace waystone
