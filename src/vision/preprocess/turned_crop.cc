// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/turned_crop.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

#include "vision/preprocess/spec_check.h"

namespace waystone {
namespace {

constexpr float kMaxLength = 1 << 20;  // pixels
constexpr int kMaxSamples = 4;         // a pixel, along an axis
constexpr int kFractionBits = 8;
constexpr int kOne = 1 << kFractionBits;

// Where a step along the crop's axes leads in the picture.
struct Axes {
  double x_dx, x_dy;  // of a step to the right
  double y_dx, y_dy;  // of a step down
};

Axes AxesOf(const TurnedRect& rect, double steps_x, double steps_y) {
  const double cosine = std::cos(rect.angle);
  const double sine = std::sin(rect.angle);
  return {rect.width / steps_x * cosine, rect.width / steps_x * sine, -rect.height / steps_y * sine,
          rect.height / steps_y * cosine};
}

// Adds the colour at (x, y), in pixels from the centre of the top left one, times kOne^2.
void AddSample(const ImageView& image, double x, double y, int* sum) {
  const double left = std::floor(x);
  const double top = std::floor(y);
  if (!(left >= -1 && top >= -1 && left < image.width && top < image.height)) return;
  const int column = static_cast<int>(left);
  const int row = static_cast<int>(top);
  const int right_weight = static_cast<int>((x - left) * kOne);
  const int bottom_weight = static_cast<int>((y - top) * kOne);
  for (int i = 0; i < 4; ++i) {
    const int tap_x = column + (i & 1);
    const int tap_y = row + (i >> 1);
    if (tap_x < 0 || tap_y < 0 || tap_x >= image.width || tap_y >= image.height) continue;
    const int weight = ((i & 1) != 0 ? right_weight : kOne - right_weight) *
                       ((i >> 1) != 0 ? bottom_weight : kOne - bottom_weight);
    const uint8_t* pixel = image.row(tap_y) + 3 * static_cast<size_t>(tap_x);
    for (int channel = 0; channel < 3; ++channel) sum[channel] += weight * pixel[channel];
  }
}

int SamplesFor(float source, int target) {
  return std::clamp(static_cast<int>(std::lround(source / static_cast<float>(target))), 1, kMaxSamples);
}

}  // namespace

bool IsUsable(const TurnedRect& rect) {
  const auto within = [](float value, float least) {
    return value >= least && value <= kMaxLength;
  };  // not NaN
  return within(rect.width, 1) && within(rect.height, 1) && within(rect.center_x, -kMaxLength) &&
         within(rect.center_y, -kMaxLength) && std::isfinite(rect.angle);
}

absl::StatusOr<Image> CropTurned(ImageView image, const TurnedRect& rect, int width, int height) {
  if (!IsUsable(rect)) {
    return absl::InvalidArgumentError(absl::StrCat("a crop of ", rect.width, "x", rect.height, " around ",
                                                   rect.center_x, ",", rect.center_y, " is out of range"));
  }
  if (width < 1 || height < 1 || width > kMaxInputSide || height > kMaxInputSide) {
    return absl::InvalidArgumentError(
        absl::StrCat("a crop cannot be scaled to ", width, "x", height, "; the limit is ", kMaxInputSide));
  }
  const int samples_x = SamplesFor(rect.width, width);
  const int samples_y = SamplesFor(rect.height, height);
  const Axes step = AxesOf(rect, width * samples_x, height * samples_y);
  // The first sample's centre; half a pixel off since pixels are counted from their centres here.
  const double start_u = (1 - width * samples_x) / 2.0;
  const double start_v = (1 - height * samples_y) / 2.0;
  const int divisor = samples_x * samples_y * kOne * kOne;
  Image crop(width, height);
  for (int y = 0; y < height; ++y) {
    uint8_t* pixel = crop.row(y);
    for (int x = 0; x < width; ++x, pixel += 3) {
      int sum[3] = {};
      for (int i = 0; i < samples_x * samples_y; ++i) {
        const double u = start_u + x * samples_x + i % samples_x;
        const double v = start_v + y * samples_y + i / samples_x;
        AddSample(image, rect.center_x - 0.5 + u * step.x_dx + v * step.y_dx,
                  rect.center_y - 0.5 + u * step.x_dy + v * step.y_dy, sum);
      }
      for (int channel = 0; channel < 3; ++channel) {
        pixel[channel] = static_cast<uint8_t>((sum[channel] + divisor / 2) / divisor);
      }
    }
  }
  return crop;
}

Landmark FromCrop(const Landmark& point, const TurnedRect& rect, int width, int height) {
  const Axes axes = AxesOf(rect, width, height);
  const double u = point.x - width / 2.0;
  const double v = point.y - height / 2.0;
  return {static_cast<float>(rect.center_x + u * axes.x_dx + v * axes.y_dx),
          static_cast<float>(rect.center_y + u * axes.x_dy + v * axes.y_dy),
          point.z * rect.width / static_cast<float>(width), point.score};
}

}  // namespace waystone
