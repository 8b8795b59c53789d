// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/axis.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace waystone {
namespace {

// The samples `first` and `first + 1` around the centre of output `i`, which may lie one beyond either end.
struct Between {
  int first = 0;
  double fraction = 0;  // of the way to the second one, less than 1
};

Between Locate(const AxisPlacement& axis, int source, int i) {
  const double scale = 1 / (static_cast<double>(axis.resized) / static_cast<double>(source));
  double position = (static_cast<double>(axis.crop + i) + 0.5) * scale - 0.5;
  // OpenCV's positions are floats. Up to here they are as fine as the weights; beyond, the pixels matter
  // more.
  constexpr int kLongestFloatAxis = 4096;
  if (source <= kLongestFloatAxis) position = static_cast<float>(position);
  const double first = std::floor(position);
  return {static_cast<int>(first), position - first};
}

struct Weights {
  int16_t first = 0;
  int16_t second = 0;
};

Weights Split(double fraction) {
  constexpr float kOne = 1 << kWeightBits;
  return {static_cast<int16_t>(std::lrint(static_cast<float>(1 - fraction) * kOne)),
          static_cast<int16_t>(std::lrint(static_cast<float>(fraction) * kOne))};
}

}  // namespace

BilinearColumns MakeBilinearColumns(const AxisPlacement& axis, int source) {
  BilinearColumns columns;
  columns.offset.reserve(static_cast<size_t>(axis.count));
  columns.weights.reserve(BilinearColumns::kWeights * static_cast<size_t>(axis.count));
  for (int i = 0; i < axis.count; ++i) {
    auto [first, fraction] = Locate(axis, source, i);
    if (first < 0) std::tie(first, fraction) = std::tuple(0, 0.0);
    // At the end the last pixel is the right one of a pair, so that both lie in the row.
    if (first >= source - 1)
      std::tie(first, fraction) = source > 1 ? std::tuple(source - 2, 1.0) : std::tuple(0, 0.0);
    const Weights weights = Split(fraction);
    columns.offset.push_back(3 * first);
    for (int channel = 0; channel < 3; ++channel) {
      columns.weights.insert(columns.weights.end(), {weights.first, weights.second});
    }
    columns.weights.insert(columns.weights.end(), {0, 0});
    if (3 * first + 8 <= 3 * source) columns.in_bounds = i + 1;  // offsets never decrease
  }
  return columns;
}

std::vector<BilinearRow> MakeBilinearRows(const AxisPlacement& axis, int source) {
  std::vector<BilinearRow> rows;
  rows.reserve(static_cast<size_t>(axis.count));
  for (int i = 0; i < axis.count; ++i) {
    const auto [first, fraction] = Locate(axis, source, i);
    const Weights weights = Split(fraction);
    rows.push_back({std::clamp(first, 0, source - 1), std::clamp(first + 1, 0, source - 1), weights.first,
                    weights.second});
  }
  return rows;
}

AreaAxis MakeAreaAxis(const AxisPlacement& axis, int source) {
  AreaAxis area;
  area.first.reserve(static_cast<size_t>(axis.count));
  area.start.reserve(static_cast<size_t>(axis.count) + 1);
  area.start.push_back(0);
  // In units of 1 / resized of a source sample everything is an integer: output i covers [begin, begin +
  // source) and sample j covers [j * resized, (j + 1) * resized).
  for (int i = 0; i < axis.count; ++i) {
    const int64_t begin = (axis.crop + i) * source;
    const int64_t end = begin + source;
    const int64_t first = begin / axis.resized;
    const int64_t last = (end - 1) / axis.resized;
    area.first.push_back(static_cast<int32_t>(first));
    for (int64_t j = first; j <= last; ++j) {
      const int64_t covered = std::min(end, (j + 1) * axis.resized) - std::max(begin, j * axis.resized);
      area.weights.push_back(static_cast<float>(static_cast<double>(covered) / source));
    }
    area.start.push_back(static_cast<int32_t>(area.weights.size()));
  }
  return area;
}

}  // namespace waystone
