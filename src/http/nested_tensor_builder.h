// SPDX-License-Identifier: Apache-2.0
//
// Nested lists of numbers to a tensor, one bracket or number at a time. The first path down to a number fixes
// how deep the tensor is, the first list of each level how long its lists are; whatever differs later is
// named by its place. Thread-compatible. Memory: 4 bytes an element, at most max_elements of them, and one
// counter a level.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"

#include "http/predict_body.h"

namespace waystone {

class NestedTensorBuilder {
 public:
  explicit NestedTensorBuilder(size_t max_elements) : max_elements_(max_elements) {}

  absl::Status BeginList();
  absl::Status EndList();
  absl::Status AddNumber(double value);

  // True between the first BeginList and its EndList.
  bool is_open() const { return !counts_.empty(); }
  // The place of the element that comes next: "input[3][0]".
  std::string Place() const;
  NestedTensor Take() &&;

 private:
  const size_t max_elements_;
  std::vector<int64_t> counts_;   // elements so far of each list that is open, outermost first
  std::vector<int64_t> lengths_;  // of the lists of each level; 0 where none has ended yet
  size_t rank_ = 0;               // 0 until the first number
  std::vector<float> values_;
};

}  // namespace waystone
