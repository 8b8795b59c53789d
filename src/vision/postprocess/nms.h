// SPDX-License-Identifier: Apache-2.0
//
// From candidates to detections: boxes are computed, mapped to the picture, and those that repeat a better
// one of their class are dropped (greedy non-maximum suppression). Overlap is intersection over union, in
// pixels of the picture. Deterministic: equal scores keep the order of the candidates. Thread-safe (no
// state).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"

#include "types/model_spec.h"
#include "types/prediction.h"
#include "vision/postprocess/candidates.h"

namespace waystone {

// Of the boxes of one class, best first, the positions of those that stay: at most `most`, none of which
// overlaps a better one by more than `iou_limit`.
std::vector<size_t> SuppressOverlaps(std::span<const Box> best_first, float iou_limit, size_t most);

// Best first over all classes. `box_of(cell)` is in pixels of the network's input. Boxes that are not finite
// are left out; scores end at 1.
std::vector<Detection> MakeDetections(CandidateList& candidates, absl::FunctionRef<Box(int32_t cell)> box_of,
                                      const InputGeometry& geometry, const ThresholdSpec& thresholds);
// The same with points, of which `points_of(cell)` are those of a box, in pixels of the input. A detection
// with a point that is not finite is left out.
std::vector<Detection> MakeDetections(CandidateList& candidates, absl::FunctionRef<Box(int32_t cell)> box_of,
                                      absl::FunctionRef<std::vector<Landmark>(int32_t cell)> points_of,
                                      const InputGeometry& geometry, const ThresholdSpec& thresholds);

// From pixels of the network's input to pixels of the picture; z by the scale of x.
Landmark ToPicture(const Landmark& point, const InputGeometry& geometry);
bool IsFinite(const Landmark& point);
// The smallest box around points; a box of zeros without points.
Box BoxAround(std::span<const Landmark> points);

}  // namespace waystone
