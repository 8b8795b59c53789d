// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "vision/preprocess/placement.h"

namespace waystone {
namespace {

struct Sample {
  int index = 0;
  double weight = 0;
};

// The source samples under output `i`, each by the length that the output covers of it.
std::vector<Sample> Covered(const AxisPlacement& axis, int source, int i) {
  const double scale = static_cast<double>(source) / static_cast<double>(axis.resized);
  const double begin = static_cast<double>(axis.crop + i) * scale;
  const double end = begin + scale;
  std::vector<Sample> samples;
  for (int j = static_cast<int>(begin); j < std::min<double>(end, source); ++j) {
    const double covered = std::min<double>(end, j + 1) - std::max<double>(begin, j);
    if (covered > 0) samples.push_back({j, covered / scale});
  }
  return samples;
}

// The two source samples around the centre of output `i`; beyond the edge the edge goes on.
std::vector<Sample> Neighbours(const AxisPlacement& axis, int source, int i) {
  const double scale = static_cast<double>(source) / static_cast<double>(axis.resized);
  const double position =
      std::clamp<double>((static_cast<double>(axis.crop + i) + 0.5) * scale - 0.5, 0, source - 1);
  const int first = static_cast<int>(position);
  const double fraction = position - first;
  return {{first, 1 - fraction}, {std::min(first + 1, source - 1), fraction}};
}

std::vector<std::vector<Sample>> Axis(ResizeFilter filter, const AxisPlacement& axis, int source) {
  std::vector<std::vector<Sample>> all;
  for (int i = 0; i < axis.count; ++i) {
    all.push_back(filter == ResizeFilter::kArea ? Covered(axis, source, i) : Neighbours(axis, source, i));
  }
  return all;
}

double WeightedMean(ImageView image, size_t channel, const std::vector<Sample>& rows,
                    const std::vector<Sample>& columns) {
  double sum = 0;
  for (const Sample& row : rows) {
    for (const Sample& column : columns) {
      sum +=
          row.weight * column.weight * image.row(row.index)[3 * static_cast<size_t>(column.index) + channel];
    }
  }
  return sum;
}

void StoreElement(DataType type, double value, std::byte* at) {
  if (type == DataType::kFloat32) {
    const float single = static_cast<float>(value);
    std::memcpy(at, &single, sizeof(single));
  } else if (type == DataType::kFloat16) {
    const uint16_t half = FloatToHalf(static_cast<float>(value));
    std::memcpy(at, &half, sizeof(half));
  } else {
    const double least = type == DataType::kInt8 ? -128 : 0;
    *at = static_cast<std::byte>(static_cast<int>(std::clamp(std::nearbyint(value), least, least + 255)) &
                                 0xFF);
  }
}

}  // namespace

std::vector<double> ReferenceLevels(const PreprocessSpec& spec, ImageView image, int picture_width,
                                    int picture_height) {
  const Placement placement = PlacePicture(spec, picture_width, picture_height);
  const size_t width = static_cast<size_t>(spec.width);
  std::vector<double> levels(3 * width * static_cast<size_t>(spec.height));
  for (size_t i = 0; i < levels.size(); ++i) levels[i] = spec.pad[i % 3];
  const auto columns = Axis(spec.filter, placement.x, image.width);
  const auto rows = Axis(spec.filter, placement.y, image.height);
  for (size_t y = 0; y < rows.size(); ++y) {
    for (size_t x = 0; x < columns.size(); ++x) {
      const size_t pixel =
          (y + static_cast<size_t>(placement.y.offset)) * width + x + static_cast<size_t>(placement.x.offset);
      for (size_t c = 0; c < 3; ++c) {
        const size_t source = spec.color == ColorOrder::kRgb ? c : 2 - c;
        levels[3 * pixel + c] = WeightedMean(image, source, rows[y], columns[x]);
      }
    }
  }
  return levels;
}

double RoundLevel(double level) { return std::floor(level + 0.5 + 1e-9); }

void ReferencePreprocess(const PreprocessSpec& spec, ImageView image, int picture_width, int picture_height,
                         std::span<std::byte> row) {
  const std::vector<double> levels = ReferenceLevels(spec, image, picture_width, picture_height);
  const size_t plane = static_cast<size_t>(spec.width) * static_cast<size_t>(spec.height);
  for (size_t i = 0; i < levels.size(); ++i) {
    const size_t c = i % 3;
    const double level = RoundLevel(levels[i]);
    const double value = (level * spec.scale - spec.mean[c]) / spec.std[c];
    const size_t index = spec.layout == Layout::kNhwc ? i : c * plane + i / 3;
    StoreElement(spec.type, value, row.data() + index * ByteSize(spec.type));
  }
}

}  // namespace waystone
