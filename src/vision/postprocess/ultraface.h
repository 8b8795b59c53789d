// SPDX-License-Identifier: Apache-2.0
//
// UltraFace (Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB), and any SSD whose network applies its
// priors itself. Two tensors: scores [N, boxes, C] (softmax done), of which the first `background_classes`
// are never answered, and boxes [N, boxes, 4] as x_min, y_min, x_max, y_max in fractions of the input.
// Immutable and thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "vision/postprocess/decoder.h"

namespace waystone {

// InvalidArgument when background_classes is negative or the outputs named are not two.
absl::StatusOr<std::unique_ptr<Decoder>> MakeUltraFaceDecoder(const ModelSpec& spec);

}  // namespace waystone
