// SPDX-License-Identifier: Apache-2.0
//
// Two pictures side by side with lines between the places that match. Thread-safe (no state).
#pragma once

#include <span>

#include "absl/status/statusor.h"

#include "types/image.h"
#include "types/prediction.h"

namespace waystone {

// A place in each picture, in its pixels, and how sure the match is, in [0, 1].
struct MatchedPlaces {
  Landmark a;
  Landmark b;
  float score = 0;
};

// A picture of both widths and the larger height. The best matches are drawn last. InvalidArgument when a
// picture has no pixels or both together are wider than 2^16 pixels.
absl::StatusOr<Image> DrawMatches(ImageView a, ImageView b, std::span<const MatchedPlaces> matches);

}  // namespace waystone
