// SPDX-License-Identifier: Apache-2.0
//
// Where a second network looks: around each object that a first one found, and in the next frame around what
// the second saw in this one (as MediaPipe's hand, face and pose pipelines do). Thread-safe (no state), but
// for CropFollower, which is confined to the frames of one camera, in order.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "types/model_spec.h"
#include "types/prediction.h"
#include "vision/preprocess/turned_crop.h"

namespace waystone {

// What a crop is of: its class and score go to answers that have none of their own.
struct PlacedCrop {
  TurnedRect rect;
  int class_id = 0;
  float score = 1;
  Box box = {};  // of the object, in the picture
};

// Nothing when the object lacks the points that the spec names, or the crop would be less than a pixel.
std::optional<TurnedRect> CropAround(const Detection& object, const CropSpec& spec);
// The same for the next frame; points count on over LandmarkSet::guide_points.
std::optional<TurnedRect> NextCrop(const LandmarkSet& object, const FollowSpec& spec);

// Takes answers about a crop of width x height pixels to the picture.
void MoveToPicture(const PlacedCrop& crop, int width, int height, Answers& answers);

// Remembers where the objects of the last frame were.
class CropFollower {
 public:
  // True when the finder has to look: nothing is followed, or `refresh` frames have passed since it did.
  bool NeedsFinder(const FollowSpec& spec) const;
  // The crops of this frame: those followed, then those found that lie elsewhere; at most spec.max_crops.
  // `found` is empty when the finder did not look.
  std::vector<PlacedCrop> Merge(std::span<const PlacedCrop> found, bool finder_looked, size_t most);
  // What was seen in this frame's crops; those that score less than the spec wants are lost.
  void Update(std::span<const LandmarkSet> seen, const FollowSpec& spec);

 private:
  std::vector<PlacedCrop> followed_;
  int frames_since_found_ = 0;
};

}  // namespace waystone
