// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/canvas.h"

#include <algorithm>
#include <cmath>

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

void Canvas::Line(double x0, double y0, double x1, double y1, double thickness, Color color, int opacity) {
  constexpr double kFarthest = 1e7;  // beyond this nothing is drawn that would be seen
  for (const double value : {x0, y0, x1, y1}) {
    if (!(std::abs(value) < kFarthest)) return;  // NaN too
  }
  const double dx = x1 - x0;
  const double dy = y1 - y0;
  const double squared = dx * dx + dy * dy;
  const double reach = thickness / 2 + 0.5;  // half a pixel more for the soft edge
  const int top = std::max(0, static_cast<int>(std::floor(std::min(y0, y1) - reach)));
  const int bottom = std::min(height(), static_cast<int>(std::ceil(std::max(y0, y1) + reach)));
  for (int y = top; y < bottom; ++y) {
    // The part of the line that comes within reach of this row.
    double from = 0;
    double to = 1;
    if (dy != 0) {
      const double a = (y - reach - y0) / dy;
      const double b = (y + 1 + reach - y0) / dy;
      from = std::clamp(std::min(a, b), 0.0, 1.0);
      to = std::clamp(std::max(a, b), 0.0, 1.0);
    }
    const double ends[] = {x0 + from * dx, x0 + to * dx};
    const int left = std::max(0, static_cast<int>(std::floor(std::min(ends[0], ends[1]) - reach)));
    const int right = std::min(width(), static_cast<int>(std::ceil(std::max(ends[0], ends[1]) + reach)));
    uint8_t* pixel = image_.row(y) + 3 * static_cast<size_t>(left);
    for (int x = left; x < right; ++x, pixel += 3) {
      const double px = x + 0.5 - x0;
      const double py = y + 0.5 - y0;
      const double along = squared > 0 ? std::clamp((px * dx + py * dy) / squared, 0.0, 1.0) : 0;
      const double distance = std::hypot(px - along * dx, py - along * dy);
      const double coverage = std::clamp(reach - distance, 0.0, 1.0);
      if (coverage > 0) MixPixel(pixel, color, static_cast<int>(std::lround(coverage * opacity)));
    }
  }
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
