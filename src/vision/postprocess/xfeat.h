// SPDX-License-Identifier: Apache-2.0
//
// XFeat local features (Potje et al. 2024, arXiv:2404.19174). Three tensors over cells of 8 x 8 pixels:
// descriptors [N, D, rows, columns], keypoint logits [N, 65, rows, columns] (64 places of the cell row by row
// and "none"), reliability [N, 1, rows, columns]. A keypoint is a place whose softmax is the largest within
// two pixels and above the threshold; its score is that times the reliability, its descriptor the bilinear
// mean at that place, made of length 1. Best first, at most max_detections. Immutable and thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "vision/postprocess/decoder.h"

namespace waystone {

// InvalidArgument when the input's sides are not multiples of 8 or the outputs named are not three.
absl::StatusOr<std::unique_ptr<Decoder>> MakeXfeatDecoder(const ModelSpec& spec);

}  // namespace waystone
