// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/matches.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"

#include "vision/draw/canvas.h"
#include "vision/draw/draw_style.h"
#include "vision/draw/palette.h"

namespace waystone {
namespace {

constexpr int kWidest = 1 << 16;
constexpr int kColors = 12;  // neighbouring lines are told apart by their colours

void Place(ImageView source, int left, Image& target) {
  for (int y = 0; y < source.height; ++y) {
    std::memcpy(target.row(y) + 3 * static_cast<size_t>(left), source.row(y),
                3 * static_cast<size_t>(source.width));
  }
}

}  // namespace

absl::StatusOr<Image> DrawMatches(ImageView a, ImageView b, std::span<const MatchedPlaces> matches) {
  if (a.width < 1 || a.height < 1 || b.width < 1 || b.height < 1 || a.width > kWidest - b.width) {
    return absl::InvalidArgumentError(
        absl::StrCat("pictures of ", a.width, "x", a.height, " and ", b.width, "x", b.height,
                     " cannot be drawn side by side; the limit is ", kWidest, " pixels of width"));
  }
  Image both(a.width + b.width, std::max(a.height, b.height));
  Place(a, 0, both);
  Place(b, a.width, both);
  Canvas canvas(both);
  const DrawStyle style = StyleFor(both.width, both.height);
  const double thickness = std::max(1.0, style.line / 2.0);
  std::vector<MatchedPlaces> ordered(matches.begin(), matches.end());
  std::sort(ordered.begin(), ordered.end(), [](const MatchedPlaces& x, const MatchedPlaces& y) {
    return std::tie(x.score, x.a.y, x.a.x) < std::tie(y.score, y.a.y, y.a.x);
  });
  for (size_t i = 0; i < ordered.size(); ++i) {
    const Color color = ClassColor(static_cast<int>(i % kColors));
    const double to_x = ordered[i].b.x + a.width;
    canvas.Line(ordered[i].a.x, ordered[i].a.y, to_x, ordered[i].b.y, thickness, color, 150);
    canvas.Disc(ordered[i].a.x, ordered[i].a.y, 1.5 * thickness, color);
    canvas.Disc(to_x, ordered[i].b.y, 1.5 * thickness, color);
  }
  return both;
}

}  // namespace waystone
