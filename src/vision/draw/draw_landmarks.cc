// SPDX-License-Identifier: Apache-2.0
//
// Landmarks with the lines between them: skeletons with joints, meshes as thin lines, features as dots.
#include <algorithm>
#include <cmath>

#include "vision/draw/drawing.h"

namespace waystone {
namespace {

constexpr float kLeastVisibility = 0.5F;
constexpr size_t kMostJoints = 100;  // more points than this are a mesh: lines alone

// A line that suits an object of this size: on a small face a wide one would hide it.
double ThicknessFor(Drawing& drawing, const LandmarkSet& set) {
  const double side =
      std::max(drawing.X(set.box.x_max - set.box.x_min), drawing.Y(set.box.y_max - set.box.y_min));
  const double share = set.points.size() > kMostJoints ? 1.0 / 300 : 1.0 / 60;
  return std::clamp(std::isfinite(side) ? side * share : 1.0, 0.75,
                    static_cast<double>(drawing.style().line));
}

void DrawEdges(Drawing& drawing, const LandmarkSet& set, double thickness, Color color) {
  const bool mesh = set.points.size() > kMostJoints;
  for (const auto& [from, to] : drawing.names().edges) {
    const size_t a = static_cast<size_t>(from);
    const size_t b = static_cast<size_t>(to);
    if (a >= set.points.size() || b >= set.points.size()) continue;
    const Landmark& begin = set.points[a];
    const Landmark& end = set.points[b];
    if (begin.score < kLeastVisibility || end.score < kLeastVisibility) continue;
    if (mesh) {
      Canvas& canvas = drawing.canvas();
      canvas.Line(drawing.X(begin.x), drawing.Y(begin.y), drawing.X(end.x), drawing.Y(end.y), thickness,
                  color, 200);
    } else {
      drawing.DrawLine(begin, end, thickness, color);
    }
  }
}

}  // namespace

void DrawLandmarks(Drawing& drawing) {
  std::vector<Drawing::Labelled> labels;
  int number = 0;
  for (const LandmarkSet& set : drawing.prediction().landmarks) {
    // Neighbours of one class are told apart by their colours.
    const int color_number = set.class_id + number++;
    const Color color = ClassColor(color_number);
    const double thickness = ThicknessFor(drawing, set);
    DrawEdges(drawing, set, thickness, color);
    if (set.points.size() <= kMostJoints || drawing.names().edges.empty()) {
      for (const Landmark& point : set.points) {
        if (point.score >= kLeastVisibility) drawing.DrawPoint(point, std::max(1.0, 0.9 * thickness), kWhite);
      }
    }
    labels.push_back({set.box, set.class_id, set.score, color_number});
  }
  drawing.DrawLabels(std::move(labels));
}

void DrawFeatures(Drawing& drawing) {
  const double radius = std::max(1.0, 0.6 * drawing.style().line);
  for (const Landmark& point : drawing.prediction().features.points) {
    drawing.DrawPoint(point, radius, ClassColor(0));
  }
}

}  // namespace waystone
