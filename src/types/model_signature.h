// SPDX-License-Identifier: Apache-2.0
//
// What a model takes and gives, as its engine describes it. A value; thread-compatible.
#pragma once

#include <string>
#include <vector>

#include "types/data_type.h"
#include "types/shape.h"

namespace waystone {

// A named input or output; dimensions the model leaves open are kDynamicDim.
struct TensorSignature {
  std::string name;
  DataType type = DataType::kFloat32;
  Shape shape;
};

struct ModelSignature {
  std::vector<TensorSignature> inputs;
  std::vector<TensorSignature> outputs;
};

}  // namespace waystone
