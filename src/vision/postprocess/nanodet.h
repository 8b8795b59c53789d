// SPDX-License-Identifier: Apache-2.0
//
// NanoDet with a generalised focal loss head (Li et al. 2020, arXiv:2006.04388). For S strides 2 S tensors:
// class scores [N, cells, C] of each stride (already sigmoids), then distances [N, cells, 4 (reg_max + 1)] of
// each stride: for the left, top, right and bottom side a distribution over 0..reg_max strides. In pixels of
// the input:
//   side = sum(softmax(bins) * index) * stride, centre = cell * stride + (stride - 1) / 2.
// Immutable and thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "vision/postprocess/decoder.h"

namespace waystone {

// InvalidArgument when strides do not divide the input, reg_max is not 1..32, or the outputs named are not
// two a stride.
absl::StatusOr<std::unique_ptr<Decoder>> MakeNanodetDecoder(const ModelSpec& spec);

}  // namespace waystone
