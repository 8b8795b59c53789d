// SPDX-License-Identifier: Apache-2.0
//
// Puts the rows of a picture as it is stored where they belong in the upright picture, by EXIF
// orientation 1..8, while they are decoded: no second picture is needed. Where a stored row is an upright row
// read from left to right, the decoder writes straight into the picture; else rows go through a strip of a
// few rows that is then turned. Confined to the thread of the decode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "types/image.h"

namespace waystone {

// True for the orientations that exchange width and height.
inline bool SwapsSides(int orientation) { return orientation >= 5; }

// An image of the upright size for a picture stored as width x height.
Image MakeUprightImage(int stored_width, int stored_height, int orientation);

// Pixel (x, y) of the stored picture is at origin + x * x_step + y * y_step (bytes) of the upright one.
struct PixelMap {
  uint8_t* origin = nullptr;
  ptrdiff_t x_step = 0;
  ptrdiff_t y_step = 0;

  uint8_t* At(int x, int y) const { return origin + x * x_step + y * y_step; }
};
PixelMap MapToUpright(Image& image, int orientation);

// Turns a whole picture; only 5..8 take a second one.
void TurnUpright(Image& image, int orientation);

class UprightRows {
 public:
  static constexpr int kStripRows = 64;

  // `image` is of the upright size and outlives this.
  UprightRows(Image& image, int orientation);

  // Where to write stored row `y`, 3 bytes a pixel. The rows of one strip (kStripRows from a multiple of it)
  // may be asked for and written in any order, and are in place after Place() of that strip.
  uint8_t* Row(int y);
  void Place(int first_row, int count);

 private:
  bool direct() const { return map_.x_step == 3; }

  PixelMap map_;
  int stored_width_;
  std::vector<uint8_t> strip_;  // empty when rows are written in place
};

}  // namespace waystone
