// SPDX-License-Identifier: Apache-2.0
//
// A mask over the picture: the colour of each class, with an edge, and the list of classes in the corner.
#include <algorithm>
#include <cmath>

#include "vision/draw/drawing.h"

namespace waystone {
namespace {

constexpr int kMaskOpacity = 105;
constexpr int kEdgeOpacity = 230;
constexpr int kNothing = -1;

// Reads the mask at places of the image.
class MaskReader {
 public:
  MaskReader(const Prediction& prediction, const AnswerNames& names, const Canvas& canvas)
      : mask_(prediction.mask), columns_(canvas.width()), rows_(canvas.height()) {
    // A class called background is where nothing was found.
    background_ = !names.labels.empty() && names.labels[0] == "background" ? 0 : kNothing;
  }

  bool usable() const {
    return mask_.width > 0 && mask_.height > 0 &&
           mask_.values.size() == static_cast<size_t>(mask_.width) * static_cast<size_t>(mask_.height);
  }

  // The class at a pixel of the image, kNothing where there is none.
  int ClassAt(int x, int y) const {
    if (mask_.kind == SegmentMask::Kind::kProbability) return Probability(x, y) >= 127.5 ? 0 : kNothing;
    const int column = static_cast<int>(int64_t{x} * mask_.width / columns_);
    const int row = static_cast<int>(int64_t{y} * mask_.height / rows_);
    const int value = ValueAt(column, row);
    return value == background_ ? kNothing : value;
  }

 private:
  int ValueAt(int column, int row) const {
    column = std::clamp(column, 0, mask_.width - 1);
    row = std::clamp(row, 0, mask_.height - 1);
    return mask_
        .values[static_cast<size_t>(row) * static_cast<size_t>(mask_.width) + static_cast<size_t>(column)];
  }

  // Bilinear, so that the edge is smooth on a picture larger than the mask.
  double Probability(int x, int y) const {
    const double at_x = (x + 0.5) * mask_.width / columns_ - 0.5;
    const double at_y = (y + 0.5) * mask_.height / rows_ - 0.5;
    const int left = static_cast<int>(std::floor(at_x));
    const int top = static_cast<int>(std::floor(at_y));
    const double right_weight = at_x - left;
    const double bottom_weight = at_y - top;
    const double upper = ValueAt(left, top) * (1 - right_weight) + ValueAt(left + 1, top) * right_weight;
    const double lower =
        ValueAt(left, top + 1) * (1 - right_weight) + ValueAt(left + 1, top + 1) * right_weight;
    return upper * (1 - bottom_weight) + lower * bottom_weight;
  }

  const SegmentMask& mask_;
  const int columns_;
  const int rows_;
  int background_ = kNothing;
};

}  // namespace

void DrawSegments(Drawing& drawing) {
  Canvas& canvas = drawing.canvas();
  const MaskReader mask(drawing.prediction(), drawing.names(), canvas);
  if (!mask.usable()) return;
  const int edge = std::max(1, drawing.style().line / 2);
  // The classes of the last `edge` rows are kept, so that each place is read once.
  std::vector<std::vector<int>> rows(static_cast<size_t>(edge) + 1,
                                     std::vector<int>(static_cast<size_t>(canvas.width())));
  for (int y = 0; y < canvas.height(); ++y) {
    std::vector<int>& row = rows[static_cast<size_t>(y % (edge + 1))];
    for (int x = 0; x < canvas.width(); ++x) row[static_cast<size_t>(x)] = mask.ClassAt(x, y);
    const std::vector<int>& above = rows[static_cast<size_t>(std::max(y - edge, 0) % (edge + 1))];
    for (int x = 0; x < canvas.width(); ++x) {
      const int here = row[static_cast<size_t>(x)];
      const int beside = row[static_cast<size_t>(std::max(x - edge, 0))];
      const int over = above[static_cast<size_t>(x)];
      const int shown = here != kNothing ? here : beside != kNothing ? beside : over;
      if (shown == kNothing) continue;
      const bool border = here != beside || here != over;
      if (border || here != kNothing)
        canvas.Blend(x, y, ClassColor(shown), border ? kEdgeOpacity : kMaskOpacity);
    }
  }
  std::vector<Drawing::PanelRow> panel;
  for (const Segment& segment : drawing.prediction().segments)
    panel.push_back({segment.class_id, segment.share});
  drawing.DrawPanel(panel);
}

}  // namespace waystone
