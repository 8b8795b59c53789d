// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/canvas.h"

namespace waystone {
namespace {

uint8_t Mix(uint8_t under, uint8_t over, int opacity) {
  return static_cast<uint8_t>((over * opacity + under * (255 - opacity) + 127) / 255);
}

void MixPixel(uint8_t* pixel, Color color, int opacity) {
  pixel[0] = Mix(pixel[0], color.red, opacity);
  pixel[1] = Mix(pixel[1], color.green, opacity);
  pixel[2] = Mix(pixel[2], color.blue, opacity);
}

}  // namespace

void Canvas::Fill(const PixelRect& rect, Color color, int opacity) {
  const PixelRect inside = Intersection(rect, bounds());
  if (inside.empty()) return;
  for (int y = inside.top; y < inside.bottom; ++y) {
    uint8_t* pixel = image_.row(y) + 3 * static_cast<size_t>(inside.left);
    for (int x = inside.left; x < inside.right; ++x, pixel += 3) MixPixel(pixel, color, opacity);
  }
}

void Canvas::Outline(const PixelRect& rect, int thickness, Color color, int opacity) {
  if (thickness < 1) return;
  if (2 * thickness >= std::min(rect.width(), rect.height())) {
    Fill(rect, color, opacity);
    return;
  }
  const int inner_top = rect.top + thickness;
  const int inner_bottom = rect.bottom - thickness;
  Fill({rect.left, rect.top, rect.right, inner_top}, color, opacity);
  Fill({rect.left, inner_bottom, rect.right, rect.bottom}, color, opacity);
  Fill({rect.left, inner_top, rect.left + thickness, inner_bottom}, color, opacity);
  Fill({rect.right - thickness, inner_top, rect.right, inner_bottom}, color, opacity);
}

void Canvas::Stamp(const uint8_t* mask, int width, int height, int left, int top, Color color) {
  const PixelRect inside = Intersection({left, top, left + width, top + height}, bounds());
  if (inside.empty()) return;
  for (int y = inside.top; y < inside.bottom; ++y) {
    const uint8_t* coverage =
        mask + static_cast<size_t>(y - top) * static_cast<size_t>(width) + (inside.left - left);
    uint8_t* pixel = image_.row(y) + 3 * static_cast<size_t>(inside.left);
    for (int x = inside.left; x < inside.right; ++x, pixel += 3, ++coverage)
      MixPixel(pixel, color, *coverage);
  }
}

}  // namespace waystone
