// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/nms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace waystone {
namespace {

// The boxes of a class that stay, in blocks of a fixed size and without a branch inside, so that the compiler
// compares a whole block at once. Places not yet taken hold a box that overlaps nothing.
class KeptBoxes {
 public:
  void Add(const Box& box, float area) {
    const size_t place = count_++ % kBlock;
    if (place == 0) blocks_.emplace_back();
    Block& block = blocks_.back();
    block.x_min[place] = box.x_min;
    block.y_min[place] = box.y_min;
    block.x_max[place] = box.x_max;
    block.y_max[place] = box.y_max;
    block.area[place] = area;
  }

  bool AnyOverlaps(const Box& box, float area, float iou_limit) const {
    for (const Block& block : blocks_) {
      int any = 0;
      for (size_t i = 0; i < kBlock; ++i) {
        const float width = std::min(block.x_max[i], box.x_max) - std::max(block.x_min[i], box.x_min);
        const float height = std::min(block.y_max[i], box.y_max) - std::max(block.y_min[i], box.y_min);
        const float intersection = std::max(width, 0.0F) * std::max(height, 0.0F);
        any |= static_cast<int>(intersection > iou_limit * (block.area[i] + area - intersection));
      }
      if (any != 0) return true;
    }
    return false;
  }

 private:
  static constexpr size_t kBlock = 8;
  struct Block {
    Block() {
      x_min.fill(std::numeric_limits<float>::max());
      x_max.fill(std::numeric_limits<float>::lowest());
    }
    std::array<float, kBlock> x_min;
    std::array<float, kBlock> y_min = {};
    std::array<float, kBlock> x_max;
    std::array<float, kBlock> y_max = {};
    std::array<float, kBlock> area = {};
  };
  std::vector<Block> blocks_;
  size_t count_ = 0;
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

struct Found {
  Detection detection;
  int32_t cell = 0;
};

// The detections of one class that stay, appended to `found`.
void AddClass(std::span<const Candidate> best_first, int class_id,
              absl::FunctionRef<Box(int32_t cell)> box_of, const InputGeometry& geometry,
              const ThresholdSpec& thresholds, std::vector<Found>& found) {
  std::vector<Candidate> candidates;
  std::vector<Box> boxes;
  for (const Candidate& candidate : best_first) {
    const Box box = ToPicture(box_of(candidate.cell), geometry);
    if (!IsFinite(box)) continue;
    candidates.push_back(candidate);
    boxes.push_back(box);
  }
  const size_t most =
      static_cast<size_t>(std::max(std::min(thresholds.max_per_class, thresholds.max_detections), 0));
  for (const size_t i : SuppressOverlaps(boxes, thresholds.nms_iou, most)) {
    Detection detection;
    detection.class_id = class_id;
    detection.score = candidates[i].score;
    detection.box = boxes[i];
    found.push_back({std::move(detection), candidates[i].cell});
  }
}

bool Better(const Found& a, const Found& b) {
  if (a.detection.score != b.detection.score) return a.detection.score > b.detection.score;
  if (a.cell != b.cell) return a.cell < b.cell;
  return a.detection.class_id < b.detection.class_id;
}

}  // namespace

Landmark ToPicture(const Landmark& point, const InputGeometry& geometry) {
  return {(point.x - geometry.offset_x) / geometry.scale_x, (point.y - geometry.offset_y) / geometry.scale_y,
          point.z / geometry.scale_x, point.score};
}

bool IsFinite(const Landmark& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && std::isfinite(point.z) &&
         std::isfinite(point.score);
}

Box BoxAround(std::span<const Landmark> points) {
  if (points.empty()) return {};
  Box box = {points[0].x, points[0].y, points[0].x, points[0].y};
  for (const Landmark& point : points) {
    box = {std::min(box.x_min, point.x), std::min(box.y_min, point.y), std::max(box.x_max, point.x),
           std::max(box.y_max, point.y)};
  }
  return box;
}

std::vector<size_t> SuppressOverlaps(std::span<const Box> best_first, float iou_limit, size_t most) {
  std::vector<size_t> stay;
  KeptBoxes kept;
  for (size_t i = 0; i < best_first.size() && stay.size() < most; ++i) {
    const Box& box = best_first[i];
    const float area = (box.x_max - box.x_min) * (box.y_max - box.y_min);
    if (kept.AnyOverlaps(box, area, iou_limit)) continue;
    kept.Add(box, area);
    stay.push_back(i);
  }
  return stay;
}

std::vector<Detection> MakeDetections(CandidateList& candidates, absl::FunctionRef<Box(int32_t cell)> box_of,
                                      const InputGeometry& geometry, const ThresholdSpec& thresholds) {
  const auto no_points = [](int32_t) { return std::vector<Landmark>(); };
  return MakeDetections(candidates, box_of, no_points, geometry, thresholds);
}

std::vector<Detection> MakeDetections(CandidateList& candidates, absl::FunctionRef<Box(int32_t cell)> box_of,
                                      absl::FunctionRef<std::vector<Landmark>(int32_t cell)> points_of,
                                      const InputGeometry& geometry, const ThresholdSpec& thresholds) {
  std::vector<Found> found;
  for (size_t class_id = 0; class_id < candidates.classes(); ++class_id) {
    const std::vector<Candidate> best_first = candidates.TakeBestFirst(class_id);
    if (best_first.empty()) continue;
    AddClass(best_first, static_cast<int>(class_id), box_of, geometry, thresholds, found);
  }
  std::sort(found.begin(), found.end(), Better);
  found.resize(std::min(found.size(), static_cast<size_t>(std::max(thresholds.max_detections, 0))));
  std::vector<Detection> detections;
  detections.reserve(found.size());
  for (Found& each : found) {
    std::vector<Landmark>& points = each.detection.points;
    points = points_of(each.cell);
    for (Landmark& point : points) point = ToPicture(point, geometry);
    if (!std::all_of(points.begin(), points.end(), [](const Landmark& point) { return IsFinite(point); }))
      continue;
    each.detection.score = std::min(each.detection.score, 1.0F);
    detections.push_back(std::move(each.detection));
  }
  if (thresholds.clip_boxes) ClipToPicture(geometry, detections);
  return detections;
}

}  // namespace waystone
