// SPDX-License-Identifier: Apache-2.0
//
// FastestDet (dog-qiuqiu/FastestDet). One tensor [N, 5 + C, rows, columns]; a cell is objectness (already a
// sigmoid), dx, dy, w, h and C class scores (already a softmax). In fractions of the input:
//   centre = (cell + tanh(d)) / cells, size = logistic(raw), score = objectness^0.6 * class^0.4.
// Immutable and thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "vision/postprocess/decoder.h"

namespace waystone {

// InvalidArgument when there is not exactly one stride that divides the input, or another number of outputs
// than 1 is named.
absl::StatusOr<std::unique_ptr<Decoder>> MakeFastestDetDecoder(const ModelSpec& spec);

}  // namespace waystone
