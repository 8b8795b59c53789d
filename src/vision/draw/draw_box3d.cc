// SPDX-License-Identifier: Apache-2.0
//
// Boxes in space: their twelve edges, and the three axes from the centre in red, green and blue.
#include <algorithm>
#include <array>

#include "vision/draw/drawing.h"

namespace waystone {
namespace {

constexpr std::array<Color, 3> kAxisColors = {Color{235, 60, 60}, Color{60, 200, 80}, Color{70, 120, 250}};

// The middle of the face that lies at the positive end of an axis; the corners' numbers have a bit an axis, x
// the highest.
Landmark FaceCentre(const Box3d& box, size_t axis) {
  Landmark centre;
  const size_t bit = size_t{4} >> axis;
  for (size_t corner = 0; corner < 8; ++corner) {
    if ((corner & bit) == 0) continue;
    centre.x += box.points[corner + 1].x / 4;
    centre.y += box.points[corner + 1].y / 4;
  }
  return centre;
}

}  // namespace

void DrawBoxes3d(Drawing& drawing) {
  const double thickness = std::max(1, drawing.style().line);
  std::vector<Drawing::Labelled> labels;
  for (const Box3d& box : drawing.prediction().boxes3d) {
    for (size_t corner = 0; corner < 8; ++corner) {
      for (size_t bit = 1; bit < 8; bit *= 2) {
        if ((corner & bit) == 0) {
          drawing.DrawLine(box.points[corner + 1], box.points[corner + bit + 1], thickness,
                           ClassColor(box.class_id));
        }
      }
    }
    for (size_t axis = 0; axis < 3; ++axis) {
      drawing.DrawLine(box.points[0], FaceCentre(box, axis), thickness, kAxisColors[axis]);
    }
    drawing.DrawPoint(box.points[0], 1.2 * thickness, kWhite);
    labels.push_back({box.box, box.class_id, box.score});
  }
  drawing.DrawLabels(std::move(labels));
}

}  // namespace waystone
