// SPDX-License-Identifier: Apache-2.0
//
// SSD with TensorFlow's box coder. Two tensors: boxes [N, anchors, 4] encoded as ty, tx, th, tw against the
// anchors, and scores [N, anchors, C] of which the first `background_classes` are never answered. In
// fractions of the input, with the coder's scales s:
//   centre = t / s * anchor size + anchor centre, size = exp(t / s) * anchor size.
// Immutable and thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "vision/postprocess/decoder.h"

namespace waystone {

// InvalidArgument when the anchors are impossible, a coder scale is not above 0, or the outputs named are not
// two.
absl::StatusOr<std::unique_ptr<Decoder>> MakeSsdDecoder(const ModelSpec& spec);

}  // namespace waystone
