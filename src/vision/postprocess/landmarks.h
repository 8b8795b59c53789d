// SPDX-License-Identifier: Apache-2.0
//
// Landmarks of one object that fills the input (MediaPipe's face, hand and pose networks). Tensors in this
// order, the last two optional: points [N, P * values] in pixels of the input, presence [N, 1], points in
// space [N, 3 P'] in metres, and how likely a hand is a right one [N, 1]; further axes of 1 are allowed. A
// point is x, y, then z, then logits of visibility and presence, as `point_values` says. Points behind
// `point_count` only say where to look next. Immutable and thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "vision/postprocess/decoder.h"

namespace waystone {

// InvalidArgument when point_values is not 2, 3 or 5, point_count is not 1..1000, or the outputs named are
// not two to four.
absl::StatusOr<std::unique_ptr<Decoder>> MakeLandmarksDecoder(const ModelSpec& spec);

}  // namespace waystone
