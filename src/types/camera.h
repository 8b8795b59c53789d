// SPDX-License-Identifier: Apache-2.0
//
// What a client says of its camera. Values.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace waystone {

// Pinhole camera of the upright full-size picture, pixels.
struct CameraIntrinsics {
  double fx = 0;
  double fy = 0;
  double cx = 0;
  double cy = 0;
};

// "fx,fy,cx,cy" as a flag and a header carry it. InvalidArgument unless these are four numbers within
// +-1e6 pixels, fx and fy above 0.
absl::StatusOr<CameraIntrinsics> ParseCamera(absl::string_view text);

}  // namespace waystone
