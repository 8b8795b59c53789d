// SPDX-License-Identifier: Apache-2.0
//
// The classification extension: instead of a tensor its n largest values, as text. Thread-safe (no state).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "types/tensor.h"

namespace waystone {

// A BYTES tensor in its wire form: each element a little-endian u32 length and its bytes.
struct BytesTensor {
  Shape shape;
  std::string data;
};

// The `most` largest values of each item, largest first, as "value:index" or, where there is a label for the
// index, "value:index:label". Of equal values the lower index is first; what is not a number comes last. With
// `batched` an item is a row and the shape [rows, k], else it is the whole tensor and the shape [k].
// InvalidArgument for elements that have no order.
absl::StatusOr<BytesTensor> Classify(const TensorView& tensor, bool batched, int64_t most,
                                     const std::vector<std::string>& labels);

}  // namespace waystone
