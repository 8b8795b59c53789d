// SPDX-License-Identifier: Apache-2.0
//
// Where labels go: beside or inside their box, wholly inside the picture, off labels placed before. A label
// that finds no such place is left out, and labels stop before they hide the picture: call in the order of
// importance. Thread-compatible. Pixels.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vision/draw/canvas.h"

namespace waystone {

class LabelLayout {
 public:
  // `bounds` is the picture.
  explicit LabelLayout(const PixelRect& bounds) : bounds_(bounds) {}

  // The place of a label of width x height, which is no larger than the picture, for `box`. The first always
  // has one.
  std::optional<PixelRect> Place(const PixelRect& box, int width, int height);

 private:
  // Pixels of `label` under labels placed before.
  int64_t Covered(const PixelRect& label) const;

  PixelRect bounds_;
  std::vector<PixelRect> placed_;
  int64_t used_ = 0;  // pixels of all labels
};

}  // namespace waystone
