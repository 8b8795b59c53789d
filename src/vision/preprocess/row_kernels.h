// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of resizing, one row at a time so that all intermediate data stay in the first-level cache.
// Built for every SIMD target by Highway; the best one for this CPU is chosen at the first call. Bilinear
// rows come out the same on every target, area rows may differ by a rounding of float sums. Pure functions of
// their arguments; thread-safe.
//
// A "pixel" here is 4 bytes: three channels in the order of the network's colours and a 0.
#pragma once

#include <cstddef>
#include <cstdint>

#include "types/model_spec.h"
#include "vision/preprocess/axis.h"

namespace waystone {

// Bilinear, along the row: `columns.offset.size()` output pixels of 4 int16_t, each a level times
// 2^kRowLevelBits. `row` is RGB with `width` pixels; nothing outside of it is read. `next_row`, the row that
// will be resized after this one, is fetched into the cache meanwhile: a skipping walk through a large
// picture defeats the hardware's own prefetching.
void ResizeRow(const uint8_t* row, const uint8_t* next_row, int width, const BilinearColumns& columns,
               ColorOrder order, int16_t* out);

// Bilinear, across rows: `upper` and `lower` by the weights of `row`, rounded to whole levels. `count`
// pixels.
void BlendRows(const int16_t* upper, const int16_t* lower, const BilinearRow& row, int count,
               uint8_t* pixels);

// Area, across rows: out[i] = sum over r < row_count of weights[r] * rows[r * stride + i], for i < count
// samples.
void AverageRows(const uint8_t* rows, size_t stride, const float* weights, int row_count, int count,
                 float* out);

// Area, along the row: from RGB samples in `row`, whose first pixel is column `origin` of the source, to
// `axis.first.size()` pixels of whole levels. One float past the last sample is read and must be initialised.
void AverageColumns(const float* row, int origin, const AreaAxis& axis, ColorOrder order, uint8_t* pixels);

}  // namespace waystone
