// SPDX-License-Identifier: Apache-2.0
//
// Pictures in memory: 8-bit RGB, interleaved, upright (EXIF orientation applied), rows from top to bottom.
// The one format between decoding, preprocessing and drawing. Thread-compatible values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace waystone {

// A picture somebody else owns. Row y starts at data + y * stride; stride >= 3 * width bytes.
struct ImageView {
  const uint8_t* data = nullptr;
  int width = 0;
  int height = 0;
  size_t stride = 0;

  const uint8_t* row(int y) const { return data + static_cast<size_t>(y) * stride; }
};

struct Image {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> pixels;  // 3 * width * height bytes, no padding between rows

  Image() = default;
  Image(int w, int h) : width(w), height(h), pixels(3 * static_cast<size_t>(w) * static_cast<size_t>(h)) {}

  uint8_t* row(int y) { return pixels.data() + 3 * static_cast<size_t>(width) * static_cast<size_t>(y); }
  const uint8_t* row(int y) const {
    return pixels.data() + 3 * static_cast<size_t>(width) * static_cast<size_t>(y);
  }
  ImageView view() const { return {pixels.data(), width, height, 3 * static_cast<size_t>(width)}; }
};

}  // namespace waystone
