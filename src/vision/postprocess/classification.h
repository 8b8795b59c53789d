// SPDX-License-Identifier: Apache-2.0
//
// Classes of the whole picture from one tensor of scores [N, C], possibly with more axes of size 1. Quantised
// outputs are taken back to numbers by (value - zero) * scale; logits become probabilities by `softmax`, over
// all classes, the background too, which is then never answered. Scores are cut to 0..1, so several classes
// of exactly 1 mean that a network gives logits and the spec should say softmax. Immutable and thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "vision/postprocess/decoder.h"

namespace waystone {

// InvalidArgument when more than one output is named, scale or zero is not finite, or background_classes is
// negative.
absl::StatusOr<std::unique_ptr<Decoder>> MakeClassificationDecoder(const ModelSpec& spec);

}  // namespace waystone
