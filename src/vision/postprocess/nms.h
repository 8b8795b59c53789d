// SPDX-License-Identifier: Apache-2.0
//
// From candidates to detections: boxes are computed, mapped to the picture, and those that repeat a better
// one of their class are dropped (greedy non-maximum suppression). Overlap is intersection over union, in
// pixels of the picture. Deterministic: equal scores keep the order of the candidates. Thread-safe (no
// state).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"

#include "types/model_spec.h"
#include "types/prediction.h"
#include "vision/postprocess/candidates.h"

namespace waystone {

// The detections that stay, in the given order (best first). Of a class at most `max_per_class`, in all at
// most `max_detections`; a box is dropped when it overlaps a better one of its class by more than
// `iou_limit`.
std::vector<Detection> SuppressOverlaps(std::span<const Detection> best_first, float iou_limit,
                                        int max_per_class, int max_detections);

// `box_of(cell)` is in pixels of the network's input. Boxes that are not finite are left out; scores end
// at 1.
std::vector<Detection> MakeDetections(CandidateList& candidates, absl::FunctionRef<Box(int32_t cell)> box_of,
                                      const InputGeometry& geometry, const ThresholdSpec& thresholds);

}  // namespace waystone
