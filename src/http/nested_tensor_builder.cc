// SPDX-License-Identifier: Apache-2.0
#include "http/nested_tensor_builder.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

namespace waystone {

absl::Status NestedTensorBuilder::BeginList() {
  if (rank_ > 0 && counts_.size() >= rank_) {
    return absl::InvalidArgumentError(absl::StrCat(Place(), " is a list where its neighbours are numbers"));
  }
  counts_.push_back(0);
  if (counts_.size() > lengths_.size()) lengths_.push_back(0);
  return absl::OkStatus();
}

absl::Status NestedTensorBuilder::EndList() {
  const int64_t count = counts_.back();
  int64_t& length = lengths_[counts_.size() - 1];
  counts_.pop_back();
  if (count == 0) return absl::InvalidArgumentError(absl::StrCat(Place(), " is an empty list"));
  if (length == 0) length = count;
  if (count != length) {
    return absl::InvalidArgumentError(
        absl::StrCat(Place(), " has ", count, " elements where its neighbours have ", length));
  }
  if (!counts_.empty()) ++counts_.back();
  return absl::OkStatus();
}

absl::Status NestedTensorBuilder::AddNumber(double value) {
  if (rank_ == 0) rank_ = counts_.size();
  if (counts_.size() != rank_) {
    return absl::InvalidArgumentError(absl::StrCat(Place(), " is a number where its neighbours are lists"));
  }
  if (values_.size() >= max_elements_) {
    return absl::OutOfRangeError(absl::StrCat("input has more elements than the limit of ", max_elements_));
  }
  const float element = static_cast<float>(value);
  if (!std::isfinite(element)) {
    return absl::InvalidArgumentError(absl::StrCat(Place(), " is a number beyond the range of FP32"));
  }
  values_.push_back(element);
  ++counts_.back();
  return absl::OkStatus();
}

std::string NestedTensorBuilder::Place() const {
  std::string place = "input";
  for (const int64_t count : counts_) absl::StrAppend(&place, "[", count, "]");
  return place;
}

NestedTensor NestedTensorBuilder::Take() && { return {Shape(std::move(lengths_)), std::move(values_)}; }

}  // namespace waystone
