// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/nms.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace waystone {
namespace {

// The boxes of a class that stay, a list a coordinate so that the comparison loop runs over plain arrays.
class KeptBoxes {
 public:
  void Clear() {
    for (std::vector<float>* list : {&x_min_, &y_min_, &x_max_, &y_max_, &area_}) list->clear();
  }
  size_t size() const { return area_.size(); }
  void Add(const Box& box, float area) {
    x_min_.push_back(box.x_min);
    y_min_.push_back(box.y_min);
    x_max_.push_back(box.x_max);
    y_max_.push_back(box.y_max);
    area_.push_back(area);
  }
  bool AnyOverlaps(const Box& box, float area, float iou_limit) const {
    for (size_t i = 0; i < area_.size(); ++i) {
      const float width = std::min(x_max_[i], box.x_max) - std::max(x_min_[i], box.x_min);
      const float height = std::min(y_max_[i], box.y_max) - std::max(y_min_[i], box.y_min);
      if (width <= 0 || height <= 0) continue;
      const float intersection = width * height;
      if (intersection > iou_limit * (area_[i] + area - intersection)) return true;
    }
    return false;
  }

 private:
  std::vector<float> x_min_, y_min_, x_max_, y_max_, area_;
};

bool IsFinite(const Box& box) {
  return std::isfinite(box.x_min) && std::isfinite(box.y_min) && std::isfinite(box.x_max) &&
         std::isfinite(box.y_max);
}

Box ToPicture(const Box& box, const InputGeometry& geometry) {
  return {
      (box.x_min - geometry.offset_x) / geometry.scale_x, (box.y_min - geometry.offset_y) / geometry.scale_y,
      (box.x_max - geometry.offset_x) / geometry.scale_x, (box.y_max - geometry.offset_y) / geometry.scale_y};
}

// Cuts boxes at the picture's edge; those wholly outside go.
void ClipToPicture(const InputGeometry& geometry, std::vector<Detection>& detections) {
  const float width = static_cast<float>(std::max(geometry.picture_width, 0));
  const float height = static_cast<float>(std::max(geometry.picture_height, 0));
  std::erase_if(detections, [&](const Detection& detection) {
    const Box& box = detection.box;
    return box.x_max <= 0 || box.y_max <= 0 || box.x_min >= width || box.y_min >= height;
  });
  for (Detection& detection : detections) {
    Box& box = detection.box;
    box = {std::max(box.x_min, 0.0F), std::max(box.y_min, 0.0F), std::min(box.x_max, width),
           std::min(box.y_max, height)};
  }
}

}  // namespace

std::vector<Detection> SuppressOverlaps(std::span<const Detection> best_first, float iou_limit,
                                        int max_per_class, int max_detections) {
  const size_t most_in_all = static_cast<size_t>(std::max(max_detections, 0));
  const size_t most_a_class = std::min(most_in_all, static_cast<size_t>(std::max(max_per_class, 0)));
  std::vector<uint32_t> by_class(best_first.size());
  std::iota(by_class.begin(), by_class.end(), 0U);
  std::sort(by_class.begin(), by_class.end(), [&](uint32_t a, uint32_t b) {
    const int class_a = best_first[a].class_id;
    const int class_b = best_first[b].class_id;
    return class_a != class_b ? class_a < class_b : a < b;
  });
  std::vector<bool> stays(best_first.size(), false);
  KeptBoxes kept;
  for (size_t i = 0; i < by_class.size(); ++i) {
    const Detection& detection = best_first[by_class[i]];
    if (i == 0 || best_first[by_class[i - 1]].class_id != detection.class_id) kept.Clear();
    if (kept.size() >= most_a_class) continue;
    const Box& box = detection.box;
    const float area = (box.x_max - box.x_min) * (box.y_max - box.y_min);
    if (kept.AnyOverlaps(box, area, iou_limit)) continue;
    kept.Add(box, area);
    stays[by_class[i]] = true;
  }
  std::vector<Detection> result;
  for (size_t i = 0; i < best_first.size() && result.size() < most_in_all; ++i) {
    if (stays[i]) result.push_back(best_first[i]);
  }
  return result;
}

std::vector<Detection> MakeDetections(CandidateList& candidates, absl::FunctionRef<Box(int32_t cell)> box_of,
                                      const InputGeometry& geometry, const ThresholdSpec& thresholds) {
  const std::vector<Candidate> best_first = candidates.TakeBestFirst();
  std::vector<Detection> detections;
  detections.reserve(best_first.size());
  for (const Candidate& candidate : best_first) {
    const Box box = ToPicture(box_of(candidate.cell), geometry);
    if (IsFinite(box)) detections.push_back({candidate.class_id, std::min(candidate.score, 1.0F), box});
  }
  detections =
      SuppressOverlaps(detections, thresholds.nms_iou, thresholds.max_per_class, thresholds.max_detections);
  if (thresholds.clip_boxes) ClipToPicture(geometry, detections);
  return detections;
}

}  // namespace waystone
