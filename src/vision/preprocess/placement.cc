// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/placement.h"

#include <algorithm>
#include <cmath>

namespace waystone {
namespace {

AxisPlacement Whole(int64_t resized, int input, Anchor anchor) {
  const int count = static_cast<int>(resized);
  return {.resized = resized,
          .crop = 0,
          .offset = anchor == Anchor::kCenter ? (input - count) / 2 : 0,
          .count = count};
}

AxisPlacement Middle(int64_t resized, int input) {
  return {.resized = resized, .crop = (resized - input) / 2, .offset = 0, .count = input};
}

// The side that goes with a short side of `resize_short`, to the nearest pixel.
int64_t LongSide(int64_t long_side, int64_t short_side, int resize_short) {
  return std::llrint(static_cast<double>(long_side * resize_short) / static_cast<double>(short_side));
}

Placement Letterbox(const PreprocessSpec& spec, int64_t width, int64_t height) {
  const bool width_limits = spec.width * height <= spec.height * width;
  const int64_t resized_width =
      width_limits ? spec.width : std::max<int64_t>(1, width * spec.height / height);
  const int64_t resized_height =
      width_limits ? std::max<int64_t>(1, height * spec.width / width) : spec.height;
  Placement placement;
  placement.x = Whole(resized_width, spec.width, spec.anchor);
  placement.y = Whole(resized_height, spec.height, spec.anchor);
  // Both axes share the unrounded factor: what the models' own pipelines divide by to get back to the
  // picture.
  const double factor = width_limits ? static_cast<double>(spec.width) / static_cast<double>(width)
                                     : static_cast<double>(spec.height) / static_cast<double>(height);
  placement.geometry.scale_x = placement.geometry.scale_y = static_cast<float>(factor);
  return placement;
}

Placement CenterCrop(const PreprocessSpec& spec, int64_t width, int64_t height) {
  const bool width_is_short = width <= height;
  const int64_t resized_width =
      width_is_short ? spec.resize_short : LongSide(width, height, spec.resize_short);
  const int64_t resized_height =
      width_is_short ? LongSide(height, width, spec.resize_short) : spec.resize_short;
  Placement placement;
  placement.x = Middle(resized_width, spec.width);
  placement.y = Middle(resized_height, spec.height);
  placement.geometry.scale_x =
      static_cast<float>(static_cast<double>(resized_width) / static_cast<double>(width));
  placement.geometry.scale_y =
      static_cast<float>(static_cast<double>(resized_height) / static_cast<double>(height));
  return placement;
}

Placement Stretch(const PreprocessSpec& spec, int64_t width, int64_t height) {
  Placement placement;
  placement.x = Whole(spec.width, spec.width, Anchor::kTopLeft);
  placement.y = Whole(spec.height, spec.height, Anchor::kTopLeft);
  placement.geometry.scale_x =
      static_cast<float>(static_cast<double>(spec.width) / static_cast<double>(width));
  placement.geometry.scale_y =
      static_cast<float>(static_cast<double>(spec.height) / static_cast<double>(height));
  return placement;
}

Placement Place(const PreprocessSpec& spec, int width, int height) {
  switch (spec.resize) {
    case ResizeMode::kLetterbox:
      return Letterbox(spec, width, height);
    case ResizeMode::kCenterCrop:
      return CenterCrop(spec, width, height);
    case ResizeMode::kStretch:
      break;
  }
  return Stretch(spec, width, height);
}

}  // namespace

Placement PlacePicture(const PreprocessSpec& spec, int picture_width, int picture_height) {
  Placement placement = Place(spec, picture_width, picture_height);
  placement.geometry.offset_x = static_cast<float>(placement.x.offset - placement.x.crop);
  placement.geometry.offset_y = static_cast<float>(placement.y.offset - placement.y.crop);
  placement.geometry.picture_width = picture_width;
  placement.geometry.picture_height = picture_height;
  return placement;
}

}  // namespace waystone
