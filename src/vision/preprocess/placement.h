// SPDX-License-Identifier: Apache-2.0
//
// Where a picture lies in the network's input: the size it is resized to, the part of that which is used, and
// where the part goes. Depends on the full size of the picture only, so that a scaled decode lands on the
// same pixels. Sizes are computed in integers: the side that limits a letterbox fills the input exactly, the
// other one is truncated. Pure functions; thread-safe. All lengths in pixels.
#pragma once

#include <cstdint>

#include "types/model_spec.h"
#include "types/prediction.h"

namespace waystone {

// Longest side of a picture that is served; keeps every product below within 64 bits and scratch memory
// bounded.
inline constexpr int kMaxPictureSide = 1 << 20;

// One axis: the picture's extent becomes `resized` pixels, of which `count` from `crop` on go to `offset` of
// the input. 0 <= crop, crop + count <= resized, 0 <= offset, offset + count <= the input's extent.
struct AxisPlacement {
  int64_t resized = 0;
  int64_t crop = 0;
  int offset = 0;
  int count = 0;

  bool operator==(const AxisPlacement&) const = default;
};

struct Placement {
  AxisPlacement x;
  AxisPlacement y;
  InputGeometry geometry;
};

// `spec` as Preprocessor::Create accepts it; sides in 1..kMaxPictureSide.
Placement PlacePicture(const PreprocessSpec& spec, int picture_width, int picture_height);

}  // namespace waystone
