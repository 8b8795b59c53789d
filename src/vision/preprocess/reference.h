// SPDX-License-Identifier: Apache-2.0
//
// Preprocessing as its definition reads: pixel by pixel, in double precision, no tables, no fixed point, no
// SIMD. Slow and plain; the yardstick that tests hold the fused pass to. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "types/image.h"
#include "types/model_spec.h"

namespace waystone {

// Levels 0..255 of the network's input before rounding, padding included: 3 * width * height values,
// interleaved, in the order of spec.color. `spec` and the picture as Preprocessor accepts them.
std::vector<double> ReferenceLevels(const PreprocessSpec& spec, ImageView image, int picture_width,
                                    int picture_height);

// The whole level of a mean; a half, which double precision may miss by a hair, becomes the upper one.
double RoundLevel(double level);

// The whole definition: levels rounded, normalised, laid out and converted into `row`.
void ReferencePreprocess(const PreprocessSpec& spec, ImageView image, int picture_width, int picture_height,
                         std::span<std::byte> row);

}  // namespace waystone
