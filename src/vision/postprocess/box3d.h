// SPDX-License-Identifier: Apache-2.0
//
// The box around an object in space, seen by one camera (Ahmadyan et al. 2020, "Objectron"; Hou et al. 2020,
// "MobilePose", arXiv:2003.03522). Two tensors: points [N, 18], nine (x, y) in pixels of the input in the
// order of Box3d::points, and presence [N, 1] in 0..1. Immutable and thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "vision/postprocess/decoder.h"

namespace waystone {

// InvalidArgument when the outputs named are not two.
absl::StatusOr<std::unique_ptr<Decoder>> MakeBox3dDecoder(const ModelSpec& spec);

}  // namespace waystone
