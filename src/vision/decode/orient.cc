// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/orient.h"

#include <cstring>
#include <utility>

namespace waystone {

Image MakeUprightImage(int stored_width, int stored_height, int orientation) {
  return SwapsSides(orientation) ? Image(stored_height, stored_width) : Image(stored_width, stored_height);
}

PixelMap MapToUpright(Image& image, int orientation) {
  const ptrdiff_t row = 3 * static_cast<ptrdiff_t>(image.width);
  uint8_t* top_left = image.pixels.data();
  uint8_t* top_right = top_left + row - 3;
  uint8_t* bottom_left = top_left + row * (image.height - 1);
  uint8_t* bottom_right = bottom_left + row - 3;
  switch (orientation) {
    case 2:
      return {top_right, -3, row};
    case 3:
      return {bottom_right, -3, -row};
    case 4:
      return {bottom_left, 3, -row};
    case 5:
      return {top_left, row, 3};
    case 6:
      return {top_right, row, -3};
    case 7:
      return {bottom_right, -row, -3};
    case 8:
      return {bottom_left, -row, 3};
    default:
      return {top_left, 3, row};
  }
}

UprightRows::UprightRows(Image& image, int orientation)
    : map_(MapToUpright(image, orientation)),
      stored_width_(SwapsSides(orientation) ? image.height : image.width) {
  if (!direct()) strip_.resize(3 * static_cast<size_t>(kStripRows) * static_cast<size_t>(stored_width_));
}

uint8_t* UprightRows::Row(int y) {
  if (direct()) return map_.At(0, y);
  return strip_.data() + 3 * static_cast<size_t>(y % kStripRows) * static_cast<size_t>(stored_width_);
}

void UprightRows::Place(int first_row, int count) {
  if (direct()) return;
  const size_t strip_stride = 3 * static_cast<size_t>(stored_width_);
  for (int x = 0; x < stored_width_; ++x) {
    const uint8_t* from = strip_.data() + 3 * static_cast<size_t>(x);
    uint8_t* to = map_.At(x, first_row);
    for (int y = 0; y < count; ++y, from += strip_stride, to += map_.y_step) std::memcpy(to, from, 3);
  }
}

void TurnUpright(Image& image, int orientation) {
  if (orientation <= 1 || orientation > 8) return;
  Image upright = MakeUprightImage(image.width, image.height, orientation);
  const PixelMap map = MapToUpright(upright, orientation);
  for (int first = 0; first < image.height; first += UprightRows::kStripRows) {
    const int last = std::min(first + UprightRows::kStripRows, image.height);
    for (int x = 0; x < image.width; ++x) {
      uint8_t* to = map.At(x, first);
      for (int y = first; y < last; ++y, to += map.y_step)
        std::memcpy(to, image.row(y) + 3 * static_cast<size_t>(x), 3);
    }
  }
  image = std::move(upright);
}

}  // namespace waystone
