// SPDX-License-Identifier: Apache-2.0
//
// YuNet (Wu, Peng, Yu 2023, "YuNet: A Tiny Millisecond-level Face Detector"). For S strides 4 S tensors, by
// kind and in each kind by stride: class scores and objectness [N, cells, 1] (sigmoids done), boxes [N,
// cells, 4], points [N, cells, 2 P]. In pixels of the input:
//   centre = (cell + raw) * stride, size = exp(raw) * stride, point = (cell + raw) * stride,
//   score = sqrt(class * objectness).
// Immutable and thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "vision/postprocess/decoder.h"

namespace waystone {

// InvalidArgument when strides do not divide the input or the outputs named are not four a stride.
absl::StatusOr<std::unique_ptr<Decoder>> MakeYunetDecoder(const ModelSpec& spec);

}  // namespace waystone
