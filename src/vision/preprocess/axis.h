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

// Bilinear arithmetic gives OpenCV's INTER_LINEAR bit for bit (checked against 4.6 and 5.0), because that is
// what models are trained and measured with: weights of 11 bits; along a row sums are cut to 7 bits after the
// point; across rows both products are cut to 2 bits after the point, then their sum is rounded, halves up.
// The result is at most 0.82 of a level from the exact one and an eighth of a level too dark on average.
inline constexpr int kWeightBits = 11;
inline constexpr int kRowLevelBits = 7;
inline constexpr int kSumLevelBits = 2;

// Column i is pixel[first] * left + pixel[first + 1] * right, where first = offset / 3 and first + 1 is a
// pixel of the row unless the row has one pixel only (then right is 0). A column has 8 weights: left and
// right for each of the three channels, then 0, 0. For i < in_bounds the 8 bytes from `offset` on lie within
// the row; the others are at its right end.
struct BilinearColumns {
  static constexpr size_t kWeights = 8;

  std::vector<int32_t> offset;  // bytes from the start of the row
  std::vector<int16_t> weights;
  int in_bounds = 0;
};
BilinearColumns MakeBilinearColumns(const AxisPlacement& axis, int source);

// Row i is row[upper] * upper_weight + row[lower] * lower_weight; lower is upper or the next one.
struct BilinearRow {
  int upper = 0;
  int lower = 0;
  int16_t upper_weight = 0;
  int16_t lower_weight = 0;
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
