// SPDX-License-Identifier: Apache-2.0
//
// Resizing is separable: which source samples an output sample of one axis reads, and with which weights.
// Tables are made once for a geometry and used for every row. Bilinear weights are integers, so every SIMD
// target gives the same pixels; area weights are floats, because a window may cover thousands of samples.
// Values; thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vision/preprocess/placement.h"

namespace waystone {

// Bilinear kernels compute in uint16_t: levels have 8 bits after the point, weights are in units of 2^-16 and
// of every product the upper half is kept. Each of the four products loses less than 1 of those 256ths, so a
// result may be too small by up to 3 of them. kRoundToLevel adds these to the half: a mean that lies exactly
// between two levels always becomes the upper one, as in the reference, and other means are off by less than
// 2/256 of a level in the middle.
inline constexpr int kLevelBits = 8;
inline constexpr int kRoundToLevel = (1 << (kLevelBits - 1)) + 3;

// Column i is pixel[first] * left + pixel[first + 1] * right, where first = offset / 3 and first + 1 is a
// pixel of the row unless the row has one pixel only (then right is 0). Weights stand in the tables once for
// each of the three channels, followed by a 0. For i < in_bounds the 8 bytes from `offset` on lie within the
// row; the others are at its right end.
struct BilinearColumns {
  std::vector<int32_t> offset;  // bytes from the start of the row
  std::vector<uint16_t> left;   // 4 for a column
  std::vector<uint16_t> right;
  int in_bounds = 0;
};
BilinearColumns MakeBilinearColumns(const AxisPlacement& axis, int source);

// Row i is row[upper] * (weight of upper) + row[lower] * (weight of lower).
struct BilinearRow {
  int upper = 0;
  int lower = 0;
  uint16_t upper_weight = 0;
  uint16_t lower_weight = 0;
};
std::vector<BilinearRow> MakeBilinearRows(const AxisPlacement& axis, int source);

// Output i is the sum of weights[start[i] + j] * sample[first[i] + j], j < start[i + 1] - start[i]: the mean
// over the source interval that it covers, samples at the ends counting by their covered part. Weights of an
// output sum to 1.
struct AreaAxis {
  std::vector<int32_t> first;
  std::vector<int32_t> start;  // one more than outputs
  std::vector<float> weights;
};
AreaAxis MakeAreaAxis(const AxisPlacement& axis, int source);

}  // namespace waystone
