// SPDX-License-Identifier: Apache-2.0
//
// One drawing of one prediction: the canvas with its style and text, and what several kinds of answers share.
// Each kind has its own function and file. Confined to one call of Annotator::Draw.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "types/image.h"
#include "types/prediction.h"
#include "vision/draw/canvas.h"
#include "vision/draw/draw_style.h"
#include "vision/draw/label_layout.h"
#include "vision/draw/palette.h"
#include "vision/draw/text.h"

namespace waystone {

inline constexpr int kCasingOpacity = 110;  // of the dark seam that keeps a line apart from any background
inline constexpr int kPanelOpacity = 165;

class Drawing {
 public:
  // A box with the name and score of what is in it.
  struct Labelled {
    Box box;  // pixels of the picture
    int class_id = 0;
    float score = 0;
    int color = -1;  // number of the colour where that is not the class's
  };
  // A row of the list in the corner: a name, a share in percent and a bar.
  struct PanelRow {
    int class_id = 0;
    float share = 0;
  };

  // `image` may be smaller than the picture the answers are about.
  Drawing(const Prediction& prediction, const AnswerNames& names, Image& image);

  const Prediction& prediction() const { return prediction_; }
  const AnswerNames& names() const { return names_; }
  Canvas& canvas() { return canvas_; }
  const DrawStyle& style() const { return style_; }
  // From pixels of the picture to pixels of the image.
  double X(double x) const { return x * scale_x_; }
  double Y(double y) const { return y * scale_y_; }
  // Width of the dark seam; thin lines have none.
  int Seam() const { return style_.line < 2 ? 0 : std::max(1, style_.line / 4); }

  // Boxes with labels, the best on top.
  void DrawLabelled(std::vector<Labelled> boxes);
  // Labels alone, at these boxes.
  void DrawLabels(std::vector<Labelled> boxes);
  void DrawPanel(std::span<const PanelRow> rows);
  // A line between two places of the picture, with a seam.
  void DrawLine(const Landmark& from, const Landmark& to, double thickness, Color color);
  void DrawPoint(const Landmark& point, double radius, Color color);

 private:
  struct Label {
    std::string text;
    PixelRect rect;
    Color color;
  };
  struct Shown;

  std::vector<Shown> Visible(const std::vector<Labelled>& boxes) const;
  void DrawBox(const PixelRect& box, Color color);
  void PlaceLabels(const std::vector<Shown>& shown);
  std::optional<Label> MakeLabel(const Labelled& labelled, const PixelRect& box, LabelLayout& layout);
  void DrawLabel(const Label& label);
  int WantedPanelWidth(std::span<const PanelRow> rows);
  int ScoreWidth() { return text_->Width("100%") + style_.font_size; }
  void DrawPanelRow(const PanelRow& row, int left, int top, int width, int bar_height);

  const Prediction& prediction_;
  const AnswerNames& names_;
  Canvas canvas_;
  const DrawStyle style_;
  double scale_x_;
  double scale_y_;
  std::optional<TextRenderer> text_;  // nothing when the picture is too small for letters
};

// What each kind of answers looks like.
void DrawDetections(Drawing& drawing);
void DrawClasses(Drawing& drawing);
void DrawLandmarks(Drawing& drawing);
void DrawSegments(Drawing& drawing);
void DrawEmbeddings(Drawing& drawing);
void DrawBoxes3d(Drawing& drawing);
void DrawFeatures(Drawing& drawing);

}  // namespace waystone
