// SPDX-License-Identifier: Apache-2.0
//
// One vector a picture from one tensor [N, size], further axes of 1 allowed, made of length 1, so that the
// cosine of two is their scalar product. Quantised outputs are taken back to numbers by (value - zero) *
// scale first. Immutable and thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "vision/postprocess/decoder.h"

namespace waystone {

// InvalidArgument when another number of outputs than 1 is named, or scale or zero is not finite.
absl::StatusOr<std::unique_ptr<Decoder>> MakeEmbeddingDecoder(const ModelSpec& spec);

}  // namespace waystone
