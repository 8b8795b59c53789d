// SPDX-License-Identifier: Apache-2.0
//
// Filled shapes and coverage masks on an Image, clipped: whatever coordinates come, nothing outside the
// picture's memory is touched. Thread-compatible; borrows the image. Integer pixels, x to the right, y down;
// rectangles are half-open.
#pragma once

#include <algorithm>
#include <cstdint>

#include "types/image.h"
#include "vision/draw/palette.h"

namespace waystone {

struct PixelRect {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;

  int width() const { return right - left; }
  int height() const { return bottom - top; }
  bool empty() const { return right <= left || bottom <= top; }
};

inline PixelRect Intersection(const PixelRect& a, const PixelRect& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
          std::min(a.bottom, b.bottom)};
}

class Canvas {
 public:
  explicit Canvas(Image& image) : image_(image) {}

  int width() const { return image_.width; }
  int height() const { return image_.height; }
  PixelRect bounds() const { return {0, 0, image_.width, image_.height}; }

  // `opacity` 0..255.
  void Fill(const PixelRect& rect, Color color, int opacity = 255);
  // The band of `thickness` pixels inside the edges of `rect`.
  void Outline(const PixelRect& rect, int thickness, Color color, int opacity = 255);
  // A line with round ends, antialiased; coordinates are pixels from the outer corner of the top left one.
  void Line(double x0, double y0, double x1, double y1, double thickness, Color color, int opacity = 255);
  void Disc(double x, double y, double radius, Color color, int opacity = 255) {
    Line(x, y, x, y, 2 * radius, color, opacity);
  }
  // One pixel; outside the picture nothing happens.
  void Blend(int x, int y, Color color, int opacity) { Fill({x, y, x + 1, y + 1}, color, opacity); }
  // `color` through a mask of width x height coverage bytes whose top left pixel goes to (left, top).
  void Stamp(const uint8_t* mask, int width, int height, int left, int top, Color color);

 private:
  Image& image_;
};

}  // namespace waystone
