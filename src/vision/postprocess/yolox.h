// SPDX-License-Identifier: Apache-2.0
//
// YOLOX (Ge et al. 2021, arXiv:2107.08430), outputs not decoded in the network. One tensor [N, cells, 5 + C];
// a row is dx, dy, log w, log h, objectness and C class scores, both already sigmoids. In pixels of the
// input:
//   centre = (d + cell) * stride, size = exp(log size) * stride, score = objectness * class score.
// Immutable and thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "vision/postprocess/decoder.h"

namespace waystone {

// InvalidArgument when strides do not divide the input or another number of outputs than 1 is named.
absl::StatusOr<std::unique_ptr<Decoder>> MakeYoloxDecoder(const ModelSpec& spec);

}  // namespace waystone
