// SPDX-License-Identifier: Apache-2.0
//
// The anchors of an SSD network (Liu et al. 2016, arXiv:1512.02325) in the order and with the scales of
// TensorFlow's object detection ssd_anchor_generator: feature maps in turn, cells row by row, a cell's shapes
// together. Coordinates are fractions of the input. Thread-safe (pure).
#pragma once

#include <vector>

#include "absl/status/statusor.h"

#include "types/model_spec.h"

namespace waystone {

struct SsdAnchor {
  float center_y = 0;
  float center_x = 0;
  float height = 0;
  float width = 0;
};

// InvalidArgument when sizes, scales or ratios are missing, out of range, or make more than 2^22 anchors.
absl::StatusOr<std::vector<SsdAnchor>> MakeSsdAnchors(const DecoderSpec& spec);

}  // namespace waystone
