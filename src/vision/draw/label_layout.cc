// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/label_layout.h"

#include <array>
#include <limits>

namespace waystone {
namespace {

constexpr int kLargestShareCovered = 5;    // a fifth of a label may lie under others
constexpr int kLargestShareOfPicture = 3;  // labels take at most a third of the picture

}  // namespace

int64_t LabelLayout::Covered(const PixelRect& label) const {
  int64_t covered = 0;
  for (const PixelRect& other : placed_) {
    const PixelRect common = Intersection(label, other);
    if (!common.empty()) covered += int64_t{common.width()} * common.height();
  }
  return covered;
}

std::optional<PixelRect> LabelLayout::Place(const PixelRect& box, int width, int height) {
  const int64_t area = int64_t{width} * height;
  const int64_t budget = int64_t{bounds_.width()} * bounds_.height() / kLargestShareOfPicture;
  if (!placed_.empty() && used_ + area > budget) return std::nullopt;
  struct Corner {
    int left;
    int top;
  };
  const int right_aligned = box.right - width;
  const int inside_bottom = box.bottom - height;
  // Best first: on the box, inside it, under it; at the left edge, then at the right.
  const std::array<Corner, 8> corners = {{{box.left, box.top - height},
                                          {box.left, box.top},
                                          {box.left, box.bottom},
                                          {right_aligned, box.top - height},
                                          {right_aligned, box.top},
                                          {right_aligned, box.bottom},
                                          {box.left, inside_bottom},
                                          {right_aligned, inside_bottom}}};
  PixelRect best;
  int64_t least_covered = std::numeric_limits<int64_t>::max();
  for (const Corner& corner : corners) {
    const int left = std::clamp(corner.left, bounds_.left, bounds_.right - width);
    const int top = std::clamp(corner.top, bounds_.top, bounds_.bottom - height);
    const bool moved_down = top != corner.top;  // then it is no better than the places inside the box
    const PixelRect label = {left, top, left + width, top + height};
    const int64_t covered = Covered(label) + (moved_down ? 1 : 0);
    if (covered < least_covered) {
      least_covered = covered;
      best = label;
    }
  }
  if (least_covered > area / kLargestShareCovered) return std::nullopt;
  placed_.push_back(best);
  used_ += area;
  return best;
}

}  // namespace waystone
