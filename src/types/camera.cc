// SPDX-License-Identifier: Apache-2.0
#include "types/camera.h"

#include <array>
#include <cmath>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include "base/log.h"

namespace waystone {

absl::StatusOr<CameraIntrinsics> ParseCamera(absl::string_view text) {
  constexpr double kMaxPixels = 1e6;
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ',');
  std::array<double, 4> values = {};
  bool good = parts.size() == values.size();
  for (size_t i = 0; good && i < values.size(); ++i) {
    good = absl::SimpleAtod(absl::StripAsciiWhitespace(parts[i]), &values[i]) &&
           std::abs(values[i]) <= kMaxPixels;  // false for NaN
  }
  if (!good || !(values[0] > 0) || !(values[1] > 0)) {
    return absl::InvalidArgumentError(absl::StrCat("the camera is '", LogSafe(text),
                                                   "'; it must be fx,fy,cx,cy in pixels, up to ", kMaxPixels,
                                                   ", fx and fy above 0"));
  }
  return CameraIntrinsics{values[0], values[1], values[2], values[3]};
}

}  // namespace waystone
