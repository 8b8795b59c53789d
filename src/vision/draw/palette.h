// SPDX-License-Identifier: Apache-2.0
//
// Colours that keep classes apart: hues by the golden ratio, so that neighbours in number are far apart in
// hue, at three lightnesses, in OKLCH (B. Ottosson, "A perceptual color space for image processing", 2020),
// where equal steps look equal. The same class has the same colour in every picture and every run.
// Thread-safe (pure).
#pragma once

#include <cstdint>

namespace waystone {

// sRGB, 8 bits a channel.
struct Color {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;

  friend bool operator==(const Color& a, const Color& b) = default;
};

inline constexpr Color kBlack = {0, 0, 0};
inline constexpr Color kWhite = {255, 255, 255};

Color ClassColor(int class_id);

// WCAG 2 contrast ratio, 1..21.
double Contrast(Color a, Color b);

// Black or white, whichever is easier to read on `background`.
Color TextColorOn(Color background);

}  // namespace waystone
