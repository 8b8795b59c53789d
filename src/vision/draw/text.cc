// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/text.h"

#include <ft2build.h>
#include FT_FREETYPE_H

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "vision/draw/font_data.h"
#include "vision/draw/utf8.h"

namespace waystone {
namespace {

constexpr std::string_view kEllipsis = "…";

// FreeType's 26.6 fixed point, rounded up and to the nearest.
int Ceil26Dot6(FT_Pos value) { return static_cast<int>((value + 63) >> 6); }
int Round26Dot6(FT_Pos value) { return static_cast<int>((value + 32) >> 6); }

absl::Status FontError(const char* attempt, FT_Error error) {
  return absl::InternalError(absl::StrCat("label font: ", attempt, ": FreeType error ", error));
}

}  // namespace

void TextRenderer::FreeLibrary::operator()(FT_LibraryRec_* library) const { FT_Done_FreeType(library); }
void TextRenderer::FreeFace::operator()(FT_FaceRec_* face) const { FT_Done_Face(face); }

absl::StatusOr<TextRenderer> TextRenderer::Create(int size) {
  TextRenderer renderer;
  FT_Library library = nullptr;
  if (const FT_Error error = FT_Init_FreeType(&library); error != 0) return FontError("begin", error);
  renderer.library_.reset(library);
  const std::string_view font = LabelFont();
  FT_Face face = nullptr;
  if (const FT_Error error = FT_New_Memory_Face(library, reinterpret_cast<const FT_Byte*>(font.data()),
                                                static_cast<FT_Long>(font.size()), 0, &face);
      error != 0) {
    return FontError("read", error);
  }
  renderer.face_.reset(face);
  if (const FT_Error error = FT_Set_Pixel_Sizes(face, 0, static_cast<FT_UInt>(size)); error != 0) {
    return FontError("set the size", error);
  }
  renderer.ascent_ = Ceil26Dot6(face->size->metrics.ascender);
  renderer.descent_ = Ceil26Dot6(-face->size->metrics.descender);
  return renderer;
}

const TextRenderer::Glyph& TextRenderer::GlyphOf(uint32_t code_point) {
  const auto [position, is_new] = glyphs_.try_emplace(code_point);
  Glyph& glyph = position->second;
  if (!is_new) return glyph;
  if (FT_Load_Char(face_.get(), code_point, FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT) != 0) return glyph;
  const FT_GlyphSlot slot = face_->glyph;
  glyph.advance = Round26Dot6(slot->advance.x);
  const FT_Bitmap& bitmap = slot->bitmap;
  if (bitmap.pixel_mode != FT_PIXEL_MODE_GRAY || bitmap.pitch < 0) return glyph;
  glyph.left = slot->bitmap_left;
  glyph.top = slot->bitmap_top;
  glyph.width = static_cast<int>(bitmap.width);
  glyph.height = static_cast<int>(bitmap.rows);
  glyph.mask.reserve(static_cast<size_t>(bitmap.width) * bitmap.rows);
  for (unsigned y = 0; y < bitmap.rows; ++y) {
    const uint8_t* row = bitmap.buffer + static_cast<size_t>(y) * static_cast<size_t>(bitmap.pitch);
    glyph.mask.insert(glyph.mask.end(), row, row + bitmap.width);
  }
  return glyph;
}

int TextRenderer::Width(std::string_view text) {
  int width = 0;
  while (!text.empty()) width += GlyphOf(std::max<uint32_t>(TakeCodePoint(text), ' ')).advance;
  return width;
}

void TextRenderer::Draw(std::string_view text, int left, int top, Color color, Canvas& canvas) {
  int pen = left;
  const int baseline = top + ascent_;
  while (!text.empty()) {
    const Glyph& glyph = GlyphOf(std::max<uint32_t>(TakeCodePoint(text), ' '));
    canvas.Stamp(glyph.mask.data(), glyph.width, glyph.height, pen + glyph.left, baseline - glyph.top, color);
    pen += glyph.advance;
  }
}

std::string TextRenderer::Fit(std::string_view text, int width) {
  const int with_ellipsis = width - Width(kEllipsis);
  size_t shortened = 0;  // bytes that fit with the ellipsis behind
  int used = 0;
  for (std::string_view rest = text; !rest.empty();) {
    used += GlyphOf(std::max<uint32_t>(TakeCodePoint(rest), ' ')).advance;
    if (used <= with_ellipsis) shortened = text.size() - rest.size();
    if (used > width)
      return shortened == 0 ? std::string() : std::string(text.substr(0, shortened)).append(kEllipsis);
  }
  return std::string(text);
}

}  // namespace waystone
