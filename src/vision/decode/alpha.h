// SPDX-License-Identifier: Apache-2.0
//
// Transparent pixels over a plain background: what remains of alpha in a picture that is 8-bit RGB. Alpha is
// straight (not premultiplied), 255 is opaque. Thread-safe (pure).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace waystone {

inline uint8_t BlendChannel(uint8_t over, uint8_t under, uint8_t alpha) {
  return static_cast<uint8_t>((over * alpha + under * (255 - alpha) + 127) / 255);
}

// One RGBA pixel to RGB. `rgb` may be `rgba` or stand before it.
inline void ComposePixel(const uint8_t* rgba, const std::array<uint8_t, 3>& background, uint8_t* rgb) {
  const uint8_t alpha = rgba[3];
  for (int c = 0; c < 3; ++c) {
    rgb[c] = alpha == 255 ? rgba[c] : BlendChannel(rgba[c], background[static_cast<size_t>(c)], alpha);
  }
}

}  // namespace waystone
