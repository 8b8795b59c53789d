// SPDX-License-Identifier: Apache-2.0
//
// A turned rectangle of a picture, and its pixels as a picture of their own: what a second network looks at.
// Sampling is bilinear with half-pixel centres; a crop that is shrunk takes the mean of up to 4 x 4 samples a
// pixel, so that fine texture does not alias. Outside the picture is black. Thread-safe (no state).
#pragma once

#include "absl/status/statusor.h"

#include "types/image.h"
#include "types/prediction.h"

namespace waystone {

// In pixels of a picture, y down. The rectangle's own x axis points to (cos angle, sin angle): a positive
// angle, in radians, turns clockwise.
struct TurnedRect {
  float center_x = 0;
  float center_y = 0;
  float width = 0;
  float height = 0;
  float angle = 0;
};

// Finite, with sides of 1 to 2^20 pixels and a centre not further off than that.
bool IsUsable(const TurnedRect& rect);

// `rect` scaled to width x height. InvalidArgument for a rectangle that is not usable or a size
// outside 1..8192.
absl::StatusOr<Image> CropTurned(ImageView image, const TurnedRect& rect, int width, int height);

// From pixels of the crop, which has width x height of them, to those of the picture; z by the scale of x.
Landmark FromCrop(const Landmark& point, const TurnedRect& rect, int width, int height);

}  // namespace waystone
