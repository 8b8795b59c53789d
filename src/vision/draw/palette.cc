// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/palette.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace waystone {
namespace {

using LinearRgb = std::array<double, 3>;

// OKLab to linear sRGB; channels outside [0, 1] are colours that a screen cannot show.
LinearRgb FromOklab(double lightness, double a, double b) {
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool Shows(const LinearRgb& color) {
  return std::all_of(color.begin(), color.end(), [](double channel) { return channel >= 0 && channel <= 1; });
}

uint8_t Encode(double linear) {
  const double value = std::clamp(linear, 0.0, 1.0);
  const double srgb = value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
  return static_cast<uint8_t>(std::lround(255 * srgb));
}

double Decode(uint8_t srgb) {
  const double value = srgb / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double Luminance(Color color) {
  return 0.2126 * Decode(color.red) + 0.7152 * Decode(color.green) + 0.0722 * Decode(color.blue);
}

}  // namespace

Color ClassColor(int class_id) {
  constexpr std::array<double, 3> kLightness = {0.72, 0.64, 0.82};
  const auto index = static_cast<uint32_t>(class_id);
  const double turns = 0.07 + index * (std::numbers::phi - 1);
  const double angle = 2 * std::numbers::pi * (turns - std::floor(turns));
  const double lightness = kLightness[index % kLightness.size()];
  double chroma = 0.2;
  LinearRgb color = {};
  do {
    color = FromOklab(lightness, chroma * std::cos(angle), chroma * std::sin(angle));
    chroma -= 0.01;
  } while (!Shows(color) && chroma > 0);
  return {Encode(color[0]), Encode(color[1]), Encode(color[2])};
}

double Contrast(Color a, Color b) {
  const double first = Luminance(a) + 0.05;
  const double second = Luminance(b) + 0.05;
  return std::max(first, second) / std::min(first, second);
}

Color TextColorOn(Color background) {
  return Contrast(background, kBlack) >= Contrast(background, kWhite) ? kBlack : kWhite;
}

}  // namespace waystone
