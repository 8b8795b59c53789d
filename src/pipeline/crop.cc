// SPDX-License-Identifier: Apache-2.0
#include "pipeline/crop.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vision/postprocess/nms.h"

namespace waystone {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr float kSameObject = 0.4F;  // of the smaller side: centres nearer than this belong to one object

// By what to turn so that the line from the first point to the second lies at `degrees`, counted upwards from
// the x axis; y points down.
float TurnFor(const Landmark& from, const Landmark& to, float degrees) {
  const float angle = degrees * kPi / 180 - std::atan2(-(to.y - from.y), to.x - from.x);
  return angle - 2 * kPi * std::floor((angle + kPi) / (2 * kPi));
}

const Landmark* PointAt(std::span<const Landmark> points, std::span<const Landmark> more, int index) {
  const size_t i = static_cast<size_t>(index);
  if (i < points.size()) return &points[i];
  return i - points.size() < more.size() ? &more[i - points.size()] : nullptr;
}

// `sides` of the object along its own turned axes, around `rect`'s centre, as the spec scales and shifts
// them.
std::optional<TurnedRect> Shaped(TurnedRect rect, const CropSpec& spec) {
  const float cosine = std::cos(rect.angle);
  const float sine = std::sin(rect.angle);
  const float shift_x = rect.width * spec.shift[0];
  const float shift_y = rect.height * spec.shift[1];
  rect.center_x += shift_x * cosine - shift_y * sine;
  rect.center_y += shift_x * sine + shift_y * cosine;
  if (spec.square) rect.width = rect.height = std::max(rect.width, rect.height);
  rect.width *= spec.scale;
  rect.height *= spec.scale;
  return IsUsable(rect) ? std::optional(rect) : std::nullopt;
}

// The turned rectangle around points, its axes at `angle`.
TurnedRect TurnedBox(std::span<const Landmark> points, float angle) {
  std::vector<Landmark> turned;
  const float cosine = std::cos(angle);
  const float sine = std::sin(angle);
  for (const Landmark& point : points) {
    turned.push_back({point.x * cosine + point.y * sine, -point.x * sine + point.y * cosine});
  }
  const Box box = BoxAround(turned);
  const float center_x = (box.x_min + box.x_max) / 2;
  const float center_y = (box.y_min + box.y_max) / 2;
  return {center_x * cosine - center_y * sine, center_x * sine + center_y * cosine, box.x_max - box.x_min,
          box.y_max - box.y_min, angle};
}

// Sets the angle, and for a circle the place and size; false when a point is missing.
bool PlaceByPoints(std::span<const Landmark> points, std::span<const Landmark> more, const CropSpec& spec,
                   TurnedRect& rect) {
  if (spec.rotate[0] >= 0) {
    const Landmark* from = PointAt(points, more, spec.rotate[0]);
    const Landmark* to = PointAt(points, more, spec.rotate[1]);
    if (from == nullptr || to == nullptr) return false;
    rect.angle = TurnFor(*from, *to, spec.angle);
  }
  if (spec.circle[0] >= 0) {
    const Landmark* center = PointAt(points, more, spec.circle[0]);
    const Landmark* edge = PointAt(points, more, spec.circle[1]);
    if (center == nullptr || edge == nullptr) return false;
    rect.center_x = center->x;
    rect.center_y = center->y;
    rect.width = rect.height = 2 * std::hypot(edge->x - center->x, edge->y - center->y);
  }
  return true;
}

bool SameObject(const TurnedRect& a, const TurnedRect& b) {
  const float near = kSameObject * std::min({a.width, a.height, b.width, b.height});
  return std::hypot(a.center_x - b.center_x, a.center_y - b.center_y) < near;
}

}  // namespace

std::optional<TurnedRect> CropAround(const Detection& object, const CropSpec& spec) {
  const Box& box = object.box;
  TurnedRect rect = {(box.x_min + box.x_max) / 2, (box.y_min + box.y_max) / 2, box.x_max - box.x_min,
                     box.y_max - box.y_min, 0};
  if (!PlaceByPoints(object.points, {}, spec, rect)) return std::nullopt;
  return Shaped(rect, spec);
}

std::optional<TurnedRect> NextCrop(const LandmarkSet& object, const FollowSpec& spec) {
  TurnedRect rect;
  if (!PlaceByPoints(object.points, object.guide_points, spec.crop, rect)) return std::nullopt;
  if (spec.crop.circle[0] < 0) {
    std::vector<Landmark> around;
    for (const int index : spec.points) {
      const Landmark* point = PointAt(object.points, object.guide_points, index);
      if (point == nullptr) return std::nullopt;
      around.push_back(*point);
    }
    if (spec.points.empty()) around = object.points;
    if (around.empty()) return std::nullopt;
    rect = TurnedBox(around, rect.angle);
  }
  return Shaped(rect, spec.crop);
}

void MoveToPicture(const PlacedCrop& crop, int width, int height, Answers& answers) {
  const auto move = [&](Landmark& point) { point = FromCrop(point, crop.rect, width, height); };
  for (LandmarkSet& set : answers.landmarks) {
    std::for_each(set.points.begin(), set.points.end(), move);
    std::for_each(set.guide_points.begin(), set.guide_points.end(), move);
    if (!set.points.empty()) set.box = BoxAround(set.points);
  }
  for (Box3d& box : answers.boxes3d) {
    std::for_each(box.points.begin(), box.points.end(), move);
    box.box = BoxAround(box.points);
  }
  for (Embedding& embedding : answers.embeddings) {
    embedding.class_id = crop.class_id;
    embedding.score = crop.score;
    embedding.box = crop.box;
    embedding.of_object = true;
  }
}

bool CropFollower::NeedsFinder(const FollowSpec& spec) const {
  return followed_.empty() || frames_since_found_ >= spec.refresh;
}

std::vector<PlacedCrop> CropFollower::Merge(std::span<const PlacedCrop> found, bool finder_looked,
                                            size_t most) {
  frames_since_found_ = finder_looked ? 1 : frames_since_found_ + 1;
  std::vector<PlacedCrop> crops = followed_;
  for (const PlacedCrop& crop : found) {
    const bool known = std::any_of(followed_.begin(), followed_.end(), [&](const PlacedCrop& other) {
      return SameObject(crop.rect, other.rect);
    });
    if (!known) crops.push_back(crop);
  }
  if (crops.size() > most) crops.resize(most);
  return crops;
}

void CropFollower::Update(std::span<const LandmarkSet> seen, const FollowSpec& spec) {
  followed_.clear();
  for (const LandmarkSet& object : seen) {
    if (object.score < spec.score) continue;
    const std::optional<TurnedRect> rect = NextCrop(object, spec);
    if (!rect.has_value()) continue;
    // Two crops that came to follow one object become one.
    const bool known = std::any_of(followed_.begin(), followed_.end(),
                                   [&](const PlacedCrop& other) { return SameObject(*rect, other.rect); });
    if (!known) followed_.push_back({*rect, object.class_id, object.score, object.box});
  }
}

}  // namespace waystone
