// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/drawing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace waystone {
namespace {

constexpr size_t kMostNameBytes = 256;  // of a class name, before it is made to fit
constexpr size_t kMostClassRows = 10;

std::string NameOf(int class_id, const AnswerNames& names) {
  const std::string name = names.Label(class_id).substr(0, kMostNameBytes);
  return name.empty() ? absl::StrCat(class_id) : name;
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

double Scale(int drawn, int predicted) { return predicted > 0 ? static_cast<double>(drawn) / predicted : 1; }

}  // namespace

struct Drawing::Shown {
  Labelled labelled;
  PixelRect rect;
  size_t order;
};

Drawing::Drawing(const Prediction& prediction, const AnswerNames& names, Image& image)
    : prediction_(prediction),
      names_(names),
      canvas_(image),
      style_(StyleFor(image.width, image.height)),
      scale_x_(Scale(image.width, prediction.width)),
      scale_y_(Scale(image.height, prediction.height)) {
  if (style_.font_size > 0) {
    if (auto text = TextRenderer::Create(style_.font_size); text.ok()) text_.emplace(*std::move(text));
  }
}

// Best first; equal ones keep their order. A score that is no number ranks last.
std::vector<Drawing::Shown> Drawing::Visible(const std::vector<Labelled>& boxes) const {
  std::vector<Shown> shown;
  for (size_t i = 0; i < boxes.size(); ++i) {
    const auto rect = VisiblePart(boxes[i].box, scale_x_, scale_y_, canvas_);
    if (rect.has_value()) shown.push_back({boxes[i], *rect, i});
  }
  const auto rank = [](const Shown& each) {
    return std::isnan(each.labelled.score) ? -std::numeric_limits<float>::infinity() : each.labelled.score;
  };
  std::sort(shown.begin(), shown.end(), [&](const Shown& a, const Shown& b) {
    return rank(a) != rank(b) ? rank(a) > rank(b) : a.order < b.order;
  });
  return shown;
}

void Drawing::DrawLabelled(std::vector<Labelled> boxes) {
  const std::vector<Shown> shown = Visible(boxes);
  // The best are drawn last, on top, but choose the places of their labels first.
  std::for_each(shown.rbegin(), shown.rend(),
                [&](const Shown& each) { DrawBox(each.rect, ClassColor(each.labelled.class_id)); });
  PlaceLabels(shown);
}

void Drawing::DrawLabels(std::vector<Labelled> boxes) { PlaceLabels(Visible(boxes)); }

void Drawing::PlaceLabels(const std::vector<Shown>& shown) {
  if (!text_.has_value()) return;
  LabelLayout layout(canvas_.bounds());
  std::vector<Label> placed;
  for (const Shown& each : shown) {
    if (auto label = MakeLabel(each.labelled, each.rect, layout); label.has_value()) {
      placed.push_back(*std::move(label));
    }
  }
  std::for_each(placed.rbegin(), placed.rend(), [&](const Label& label) { DrawLabel(label); });
}

void Drawing::DrawBox(const PixelRect& box, Color color) {
  const int half = style_.line / 2;
  const PixelRect edge =
      Intersection({box.left - half, box.top - half, box.right + half, box.bottom + half}, canvas_.bounds());
  if (const int seam = Seam(); seam > 0) {
    const PixelRect outer = {edge.left - seam, edge.top - seam, edge.right + seam, edge.bottom + seam};
    canvas_.Outline(outer, style_.line + 2 * seam, kBlack, kCasingOpacity);
  }
  canvas_.Outline(edge, style_.line, color);
}

// The longest form of the label that the picture's width holds, with its place; nothing when not even a
// letter fits.
std::optional<Drawing::Label> Drawing::MakeLabel(const Labelled& labelled, const PixelRect& box,
                                                 LabelLayout& layout) {
  const int room = canvas_.width() - 2 * style_.padding;
  const std::string name = NameOf(labelled.class_id, names_);
  std::string text = absl::StrCat(name, " ", Percent(labelled.score));
  if (text_->Width(text) > room) text = text_->Fit(name, room);
  const int height = text_->line_height() + style_.padding;
  if (text.empty() || height > canvas_.height()) return std::nullopt;
  const int width = text_->Width(text) + 2 * style_.padding;
  const int half = style_.line / 2;
  const PixelRect around = {box.left - half, box.top, box.right + half, box.bottom};
  const auto place = layout.Place(around, width, height);
  if (!place.has_value()) return std::nullopt;
  return Label{std::move(text), *place, ClassColor(labelled.color < 0 ? labelled.class_id : labelled.color)};
}

void Drawing::DrawLabel(const Label& label) {
  canvas_.Fill(label.rect, label.color);
  canvas_.Outline(label.rect, Seam(), kBlack, kCasingOpacity);  // keeps neighbours of one colour apart
  text_->Draw(label.text, label.rect.left + style_.padding, label.rect.top + style_.padding / 2,
              TextColorOn(label.color), canvas_);
}

void Drawing::DrawPanel(std::span<const PanelRow> rows) {
  if (!text_.has_value() || rows.empty()) return;
  const int margin = 2 * style_.padding;
  const int bar_height = std::max(2, style_.font_size / 4);
  const int row_height = text_->line_height() + bar_height + style_.padding;
  const int room = canvas_.height() - 2 * margin - style_.padding;
  rows = rows.first(
      std::min({rows.size(), kMostClassRows, static_cast<size_t>(std::max(0, room / row_height))}));
  const int inner_width = std::min(canvas_.width() - 2 * margin - 2 * style_.padding, WantedPanelWidth(rows));
  if (rows.empty() || inner_width < style_.font_size) return;
  const int panel_height = static_cast<int>(rows.size()) * row_height + style_.padding;
  canvas_.Fill({margin, margin, margin + inner_width + 2 * style_.padding, margin + panel_height}, kBlack,
               kPanelOpacity);
  for (size_t i = 0; i < rows.size(); ++i) {
    const int top = margin + style_.padding + static_cast<int>(i) * row_height;
    DrawPanelRow(rows[i], margin + style_.padding, top, inner_width, bar_height);
  }
}

int Drawing::WantedPanelWidth(std::span<const PanelRow> rows) {
  int widest = 12 * style_.font_size;
  for (const PanelRow& row : rows) {
    widest = std::max(widest, text_->Width(NameOf(row.class_id, names_)) + ScoreWidth());
  }
  return widest;
}

void Drawing::DrawPanelRow(const PanelRow& row, int left, int top, int width, int bar_height) {
  const std::string score = Percent(row.share);
  const int score_width = text_->Width(score);
  if (score_width <= width) text_->Draw(score, left + width - score_width, top, kWhite, canvas_);
  text_->Draw(text_->Fit(NameOf(row.class_id, names_), width - ScoreWidth()), left, top, kWhite, canvas_);
  const int bar_top = top + text_->line_height();
  const float share = std::isfinite(row.share) ? std::clamp(row.share, 0.0F, 1.0F) : 0.0F;
  canvas_.Fill({left, bar_top, left + width, bar_top + bar_height}, kWhite, 60);
  const int length = static_cast<int>(std::lround(share * static_cast<float>(width)));
  canvas_.Fill({left, bar_top, left + length, bar_top + bar_height}, ClassColor(row.class_id));
}

void Drawing::DrawLine(const Landmark& from, const Landmark& to, double thickness, Color color) {
  canvas_.Line(X(from.x), Y(from.y), X(to.x), Y(to.y), thickness + 2 * Seam(), kBlack, kCasingOpacity);
  canvas_.Line(X(from.x), Y(from.y), X(to.x), Y(to.y), thickness, color);
}

void Drawing::DrawPoint(const Landmark& point, double radius, Color color) {
  canvas_.Disc(X(point.x), Y(point.y), radius + std::max(1, Seam()), kBlack, kCasingOpacity);
  canvas_.Disc(X(point.x), Y(point.y), radius, color);
}

}  // namespace waystone
