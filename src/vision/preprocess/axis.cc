// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/axis.h"

#include <algorithm>
#include <cmath>

namespace waystone {
namespace {

// The two samples around the centre of output `i`: position = (i + 0.5) * source / resized - 0.5, kept
// inside.
struct Between {
  int first = 0;
  double fraction = 0;  // of the way to first + 1; 0 at the last sample
};

Between Locate(const AxisPlacement& axis, int source, int i) {
  const double scale = static_cast<double>(source) / static_cast<double>(axis.resized);
  const double position = (static_cast<double>(axis.crop + i) + 0.5) * scale - 0.5;
  if (position <= 0) return {0, 0};
  if (position >= source - 1) return {source - 1, 0};
  const double first = std::floor(position);
  return {static_cast<int>(first), position - first};
}

// In units of 2^-16; the greatest is 1 - 2^-16.
struct Weights {
  uint16_t first = 0;
  uint16_t second = 0;
};

Weights Split(double fraction) {
  constexpr int kOne = 1 << 16;
  const int second = static_cast<int>(std::lround(fraction * kOne));
  return {static_cast<uint16_t>(std::min(kOne - second, kOne - 1)),
          static_cast<uint16_t>(std::min(second, kOne - 1))};
}

}  // namespace

BilinearColumns MakeBilinearColumns(const AxisPlacement& axis, int source) {
  BilinearColumns columns;
  const size_t count = static_cast<size_t>(axis.count);
  columns.offset.reserve(count);
  columns.left.reserve(4 * count);
  columns.right.reserve(4 * count);
  for (int i = 0; i < axis.count; ++i) {
    auto [first, fraction] = Locate(axis, source, i);
    if (first == source - 1 &&
        source > 1) {  // the last pixel as the right one of a pair, so that a pair is in the row
      first = source - 2;
      fraction = 1;
    }
    const Weights weights = Split(fraction);
    columns.offset.push_back(3 * first);
    for (const int lane : {0, 1, 2, 3}) {
      columns.left.push_back(lane < 3 ? weights.first : 0);
      columns.right.push_back(lane < 3 ? weights.second : 0);
    }
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
    rows.push_back({first, weights.second == 0 ? first : first + 1, weights.first, weights.second});
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
