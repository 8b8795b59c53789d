// SPDX-License-Identifier: Apache-2.0
//
// Which class each part of the picture belongs to. One tensor [N, rows, columns, C]: for C above 1 logits of
// which the largest wins, for C = 1 the probability that the one class is there (`sigmoid` when it is a
// logit). The part of the raster that is not the picture (a letterbox's edge) is cut off. Immutable and
// thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "vision/postprocess/decoder.h"

namespace waystone {

// InvalidArgument when another number of outputs than 1 is named.
absl::StatusOr<std::unique_ptr<Decoder>> MakeSegmentationDecoder(const ModelSpec& spec);

}  // namespace waystone
