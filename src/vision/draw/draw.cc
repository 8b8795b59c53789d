// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/draw.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/draw/canvas.h"
#include "vision/draw/draw_style.h"
#include "vision/draw/label_layout.h"
#include "vision/draw/palette.h"
#include "vision/draw/text.h"

namespace waystone {
namespace {

constexpr size_t kMostNameBytes = 256;  // of a class name, before it is made to fit
constexpr size_t kMostClassRows = 10;
constexpr int kCasingOpacity = 110;  // of the dark seam that keeps a line apart from any background
constexpr int kPanelOpacity = 165;

std::string NameOf(int class_id, const std::vector<std::string>& labels) {
  if (class_id < 0 || static_cast<size_t>(class_id) >= labels.size()) return absl::StrCat(class_id);
  const std::string& name = labels[static_cast<size_t>(class_id)];
  return name.empty() ? absl::StrCat(class_id) : name.substr(0, kMostNameBytes);
}

std::string Percent(float score) {
  const float share = std::isfinite(score) ? std::clamp(score, 0.0F, 1.0F) : 0.0F;
  return absl::StrCat(std::lround(100 * share), "%");
}

// The pixels a box covers, cut at the picture's edges; nothing when it shows nowhere.
std::optional<PixelRect> VisiblePart(const Box& box, double scale_x, double scale_y, const Canvas& canvas) {
  const bool ordered = box.x_min <= box.x_max && box.y_min <= box.y_max;  // false for NaN
  if (!ordered) return std::nullopt;
  const double left = box.x_min * scale_x;
  const double right = box.x_max * scale_x;
  const double top = box.y_min * scale_y;
  const double bottom = box.y_max * scale_y;
  if (right <= 0 || bottom <= 0 || left >= canvas.width() || top >= canvas.height()) return std::nullopt;
  const auto cut = [](double value, int limit) {
    return static_cast<int>(std::lround(std::clamp(value, 0.0, static_cast<double>(limit))));
  };
  PixelRect rect = {cut(left, canvas.width()), cut(top, canvas.height()), cut(right, canvas.width()),
                    cut(bottom, canvas.height())};
  rect.left = std::min(rect.left, canvas.width() - 1);
  rect.top = std::min(rect.top, canvas.height() - 1);
  rect.right = std::max(rect.right, rect.left + 1);
  rect.bottom = std::max(rect.bottom, rect.top + 1);
  return rect;
}

// One drawing of one prediction. Confined to the call.
class Drawing {
 public:
  Drawing(const Prediction& prediction, const std::vector<std::string>& labels, Image& image)
      : prediction_(prediction),
        labels_(labels),
        canvas_(image),
        style_(StyleFor(image.width, image.height)) {
    if (style_.font_size > 0) {
      if (auto text = TextRenderer::Create(style_.font_size); text.ok()) text_.emplace(*std::move(text));
    }
  }

  void DrawDetections() {
    struct Shown {
      const Detection* detection;
      PixelRect rect;
    };
    std::vector<Shown> shown;
    const double scale_x = Scale(canvas_.width(), prediction_.width);
    const double scale_y = Scale(canvas_.height(), prediction_.height);
    for (const Detection& detection : prediction_.detections) {
      const auto rect = VisiblePart(detection.box, scale_x, scale_y, canvas_);
      if (rect.has_value()) shown.push_back({&detection, *rect});
    }
    // Best first; equal ones keep their order. A score that is no number ranks last.
    const auto rank = [](const Shown& each) {
      return std::isnan(each.detection->score) ? -std::numeric_limits<float>::infinity()
                                               : each.detection->score;
    };
    std::sort(shown.begin(), shown.end(), [&](const Shown& a, const Shown& b) {
      return rank(a) != rank(b) ? rank(a) > rank(b) : a.detection < b.detection;
    });
    // The best are drawn last, on top, but choose the places of their labels first.
    std::for_each(shown.rbegin(), shown.rend(),
                  [&](const Shown& each) { DrawBox(each.rect, ClassColor(each.detection->class_id)); });
    if (!text_.has_value()) return;
    LabelLayout layout(canvas_.bounds());
    std::vector<Label> placed;
    for (const Shown& each : shown) {
      if (auto label = MakeLabel(*each.detection, each.rect, layout); label.has_value()) {
        placed.push_back(*std::move(label));
      }
    }
    std::for_each(placed.rbegin(), placed.rend(), [&](const Label& label) { DrawLabel(label); });
  }

  void DrawClasses() {
    if (!text_.has_value() || prediction_.classes.empty()) return;
    const int margin = 2 * style_.padding;
    const int bar_height = std::max(2, style_.font_size / 4);
    const int row_height = text_->line_height() + bar_height + style_.padding;
    const int room = canvas_.height() - 2 * margin - style_.padding;
    const size_t rows = std::min(
        {prediction_.classes.size(), kMostClassRows, static_cast<size_t>(std::max(0, room / row_height))});
    const int inner_width =
        std::min(canvas_.width() - 2 * margin - 2 * style_.padding, WantedPanelWidth(rows));
    if (rows == 0 || inner_width < style_.font_size) return;
    const int panel_height = static_cast<int>(rows) * row_height + style_.padding;
    canvas_.Fill({margin, margin, margin + inner_width + 2 * style_.padding, margin + panel_height}, kBlack,
                 kPanelOpacity);
    for (size_t i = 0; i < rows; ++i) {
      const int top = margin + style_.padding + static_cast<int>(i) * row_height;
      DrawClassRow(prediction_.classes[i], margin + style_.padding, top, inner_width, bar_height);
    }
  }

 private:
  struct Label {
    std::string text;
    PixelRect rect;
    Color color;
  };

  static double Scale(int drawn, int predicted) {
    return predicted > 0 ? static_cast<double>(drawn) / predicted : 1;
  }

  // Width of the dark seam; thin lines have none.
  int Seam() const { return style_.line < 2 ? 0 : std::max(1, style_.line / 4); }

  void DrawBox(const PixelRect& box, Color color) {
    const int half = style_.line / 2;
    const PixelRect edge = Intersection(
        {box.left - half, box.top - half, box.right + half, box.bottom + half}, canvas_.bounds());
    if (const int seam = Seam(); seam > 0) {
      const PixelRect outer = {edge.left - seam, edge.top - seam, edge.right + seam, edge.bottom + seam};
      canvas_.Outline(outer, style_.line + 2 * seam, kBlack, kCasingOpacity);
    }
    canvas_.Outline(edge, style_.line, color);
  }

  // The longest form of the label that the picture's width holds, with its place; nothing when not even a
  // letter fits.
  std::optional<Label> MakeLabel(const Detection& detection, const PixelRect& box, LabelLayout& layout) {
    const int room = canvas_.width() - 2 * style_.padding;
    const std::string name = NameOf(detection.class_id, labels_);
    std::string text = absl::StrCat(name, " ", Percent(detection.score));
    if (text_->Width(text) > room) text = text_->Fit(name, room);
    const int height = text_->line_height() + style_.padding;
    if (text.empty() || height > canvas_.height()) return std::nullopt;
    const int width = text_->Width(text) + 2 * style_.padding;
    const int half = style_.line / 2;
    const PixelRect around = {box.left - half, box.top, box.right + half, box.bottom};
    const auto place = layout.Place(around, width, height);
    if (!place.has_value()) return std::nullopt;
    return Label{std::move(text), *place, ClassColor(detection.class_id)};
  }

  void DrawLabel(const Label& label) {
    canvas_.Fill(label.rect, label.color);
    canvas_.Outline(label.rect, Seam(), kBlack, kCasingOpacity);  // keeps neighbours of one colour apart
    text_->Draw(label.text, label.rect.left + style_.padding, label.rect.top + style_.padding / 2,
                TextColorOn(label.color), canvas_);
  }

  int WantedPanelWidth(size_t rows) {
    int widest = 12 * style_.font_size;
    for (size_t i = 0; i < rows; ++i) {
      const ClassScore& row = prediction_.classes[i];
      widest = std::max(widest, text_->Width(NameOf(row.class_id, labels_)) + ScoreWidth());
    }
    return widest;
  }
  int ScoreWidth() { return text_->Width("100%") + style_.font_size; }

  void DrawClassRow(const ClassScore& row, int left, int top, int width, int bar_height) {
    const std::string score = Percent(row.score);
    const int score_width = text_->Width(score);
    if (score_width <= width) text_->Draw(score, left + width - score_width, top, kWhite, canvas_);
    text_->Draw(text_->Fit(NameOf(row.class_id, labels_), width - ScoreWidth()), left, top, kWhite, canvas_);
    const int bar_top = top + text_->line_height();
    const float share = std::isfinite(row.score) ? std::clamp(row.score, 0.0F, 1.0F) : 0.0F;
    canvas_.Fill({left, bar_top, left + width, bar_top + bar_height}, kWhite, 60);
    const int length = static_cast<int>(std::lround(share * static_cast<float>(width)));
    canvas_.Fill({left, bar_top, left + length, bar_top + bar_height}, ClassColor(row.class_id));
  }

  const Prediction& prediction_;
  const std::vector<std::string>& labels_;
  Canvas canvas_;
  const DrawStyle style_;
  std::optional<TextRenderer> text_;  // nothing when the picture is too small for letters
};

class FreeTypeAnnotator final : public Annotator {
 public:
  void Draw(const Prediction& prediction, const std::vector<std::string>& labels,
            Image& image) const override {
    if (image.width < 1 || image.height < 1) return;
    Drawing drawing(prediction, labels, image);
    if (prediction.task == Task::kClassify) {
      drawing.DrawClasses();
    } else {
      drawing.DrawDetections();
    }
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<Annotator>> Annotator::Create() {
  // Each drawing makes its own renderer; that the font can be read is found out here, once.
  WAYSTONE_RETURN_IF_ERROR(TextRenderer::Create(DrawStyle::kLeastFontSize).status());
  return std::make_unique<FreeTypeAnnotator>();
}

}  // namespace waystone
