// SPDX-License-Identifier: Apache-2.0
//
// The single-shot detectors of MediaPipe (Bazarevsky et al. 2019, arXiv:1907.05047): BlazeFace, palms,
// bodies. Two tensors: numbers [N, anchors, 4 + 2 P] and logits [N, anchors, 1]. Anchors are points: the
// centres of the cells of each grid, several a cell. In pixels of the input:
//   centre = anchor + raw, size = raw, point = anchor + raw, score = logistic(logit).
// Immutable and thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "vision/postprocess/decoder.h"

namespace waystone {

// InvalidArgument when grids and anchors_per_cell are missing, do not go together or make more than 2^22
// anchors, or the outputs named are not two.
absl::StatusOr<std::unique_ptr<Decoder>> MakeBlazeDecoder(const ModelSpec& spec);

}  // namespace waystone
