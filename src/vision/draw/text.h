// SPDX-License-Identifier: Apache-2.0
//
// Lines of text in the embedded font at one size, antialiased by FreeType. Text is UTF-8: bytes that are not
// become U+FFFD, control characters become spaces. Each glyph is rendered once. Confined: FreeType's objects
// serve one thread, so a drawing makes its own TextRenderer (some tens of microseconds). Sizes in pixels.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"

#include "vision/draw/canvas.h"

struct FT_LibraryRec_;
struct FT_FaceRec_;

namespace waystone {

class TextRenderer {
 public:
  // `size` is the height of the em square. Internal when the font cannot be read.
  static absl::StatusOr<TextRenderer> Create(int size);
  TextRenderer(TextRenderer&&) = default;

  // From the highest to the lowest point that letters reach.
  int line_height() const { return ascent_ + descent_; }
  int Width(std::string_view text);
  // Draws with the line's top left corner at (left, top).
  void Draw(std::string_view text, int left, int top, Color color, Canvas& canvas);
  // `text`, or as much of its begin as fits `width` with "…" behind, or nothing.
  std::string Fit(std::string_view text, int width);

 private:
  struct Glyph {
    int left = 0;     // from the pen to the mask's left edge
    int top = 0;      // from the baseline up to the mask's top edge
    int advance = 0;  // of the pen
    int width = 0;
    int height = 0;
    std::vector<uint8_t> mask;
  };
  struct FreeLibrary {
    void operator()(FT_LibraryRec_* library) const;
  };
  struct FreeFace {
    void operator()(FT_FaceRec_* face) const;
  };

  TextRenderer() = default;
  const Glyph& GlyphOf(uint32_t code_point);

  std::unique_ptr<FT_LibraryRec_, FreeLibrary> library_;  // outlives face_
  std::unique_ptr<FT_FaceRec_, FreeFace> face_;
  int ascent_ = 0;
  int descent_ = 0;
  std::unordered_map<uint32_t, Glyph> glyphs_;
};

}  // namespace waystone
