// SPDX-License-Identifier: Apache-2.0
//
// Boxes with names, classes of the whole picture, and things that an embedding was made of.
#include <algorithm>

#include "vision/draw/drawing.h"

namespace waystone {

void DrawDetections(Drawing& drawing) {
  std::vector<Drawing::Labelled> boxes;
  for (const Detection& detection : drawing.prediction().detections) {
    boxes.push_back({detection.box, detection.class_id, detection.score});
  }
  drawing.DrawLabelled(std::move(boxes));
  for (const Detection& detection : drawing.prediction().detections) {
    for (const Landmark& point : detection.points) {
      drawing.DrawPoint(point, std::max(1.5, 0.7 * drawing.style().line), ClassColor(detection.class_id));
    }
  }
}

void DrawClasses(Drawing& drawing) {
  std::vector<Drawing::PanelRow> rows;
  for (const ClassScore& score : drawing.prediction().classes) rows.push_back({score.class_id, score.score});
  drawing.DrawPanel(rows);
}

void DrawEmbeddings(Drawing& drawing) {
  std::vector<Drawing::Labelled> boxes;
  for (const Embedding& embedding : drawing.prediction().embeddings) {
    if (embedding.of_object) boxes.push_back({embedding.box, embedding.class_id, embedding.score});
  }
  drawing.DrawLabelled(std::move(boxes));
}

}  // namespace waystone
