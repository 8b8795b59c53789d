// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/draw_style.h"

#include <algorithm>
#include <cmath>

namespace waystone {
namespace {

constexpr double kFontShare = 0.026;   // of the geometric mean of the sides: 14 pixels at 640 x 480
constexpr double kLargestShare = 0.4;  // of the short side, for pictures that are very long or very small
constexpr int kLargestFontSize = 400;  // pixels; bounds the memory of glyphs

}  // namespace

DrawStyle StyleFor(int width, int height) {
  const double mean_side = std::sqrt(static_cast<double>(width) * height);
  const int wanted =
      std::max(DrawStyle::kLeastFontSize, static_cast<int>(std::lround(kFontShare * mean_side)));
  const int room = static_cast<int>(kLargestShare * std::min(width, height));
  DrawStyle style;
  style.line = std::max(1, wanted / 6);
  const int font_size = std::min({wanted, room, kLargestFontSize});
  if (font_size < DrawStyle::kLeastFontSize) {
    style.line = 1;
    return style;
  }
  style.font_size = font_size;
  style.padding = std::max(1, font_size / 5);
  style.line = std::max(1, font_size / 6);
  return style;
}

}  // namespace waystone
