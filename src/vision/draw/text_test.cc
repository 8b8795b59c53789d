// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/text.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "vision/draw/utf8.h"

namespace waystone {
namespace {

std::vector<uint32_t> CodePoints(std::string_view text) {
  std::vector<uint32_t> code_points;
  while (!text.empty()) code_points.push_back(TakeCodePoint(text));
  return code_points;
}

TEST(Utf8Test, ReadsSequencesOfOneToFourBytes) {
  EXPECT_EQ(CodePoints("aé€😀"), (std::vector<uint32_t>{'a', 0xE9, 0x20AC, 0x1F600}));
}

TEST(Utf8Test, BytesThatAreNotUtf8BecomeTheReplacementCharacter) {
  EXPECT_EQ(CodePoints("\xFF"), std::vector<uint32_t>{kReplacementCharacter});
  EXPECT_EQ(CodePoints("\xC3"), std::vector<uint32_t>{kReplacementCharacter});  // cut off
  EXPECT_EQ(CodePoints("\xC0\xAF").size(), 2U);                                 // overlong
  EXPECT_EQ(CodePoints("\xED\xA0\x80").size(), 3U);                             // a surrogate
  EXPECT_EQ(CodePoints("\xF4\x90\x80\x80").size(), 4U);                         // past U+10FFFF
  EXPECT_EQ(CodePoints("\xE2\x82z"),
            (std::vector<uint32_t>{kReplacementCharacter, kReplacementCharacter, 'z'}));
}

TextRenderer Renderer(int size) {
  auto renderer = TextRenderer::Create(size);
  EXPECT_TRUE(renderer.ok()) << renderer.status();
  return *std::move(renderer);
}

TEST(TextTest, WidthGrowsWithTextAndSize) {
  TextRenderer small = Renderer(12);
  TextRenderer large = Renderer(48);
  EXPECT_EQ(small.Width(""), 0);
  EXPECT_GT(small.Width("person"), small.Width("perso"));
  EXPECT_NEAR(large.Width("person"), 4 * small.Width("person"), small.Width("person") / 4);
  EXPECT_GE(large.line_height(), 48);
}

TEST(TextTest, DrawsInkInsideItsLineOnly) {
  Image image(200, 60);
  Canvas canvas(image);
  TextRenderer renderer = Renderer(20);
  renderer.Draw("Äpgj|", 10, 15, kWhite, canvas);
  int inked = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (image.row(y)[3 * x] == 0) continue;
      ++inked;
      EXPECT_GE(y, 15);
      EXPECT_LT(y, 15 + renderer.line_height());
      EXPECT_GE(x, 9);
      EXPECT_LE(x, 10 + renderer.Width("Äpgj|"));
    }
  }
  EXPECT_GT(inked, 100);
}

TEST(TextTest, IsAntialiased) {
  Image image(60, 60);
  Canvas canvas(image);
  Renderer(40).Draw("O", 5, 5, kWhite, canvas);
  EXPECT_TRUE(
      std::any_of(image.pixels.begin(), image.pixels.end(), [](uint8_t v) { return v > 0 && v < 255; }));
}

TEST(TextTest, FitKeepsWhatFitsAndMarksWhatIsCut) {
  TextRenderer renderer = Renderer(14);
  EXPECT_EQ(renderer.Fit("person", renderer.Width("person")), "person");
  const std::string cut = renderer.Fit("person", renderer.Width("person") - 1);
  EXPECT_TRUE(cut.ends_with("…")) << cut;
  EXPECT_LE(renderer.Width(cut), renderer.Width("person") - 1);
  EXPECT_EQ(renderer.Fit("person", 3), "");
  EXPECT_EQ(renderer.Fit("person", -5), "");
  EXPECT_EQ(renderer.Fit("", 0), "");
}

TEST(TextTest, FitCutsBetweenCodePoints) {
  TextRenderer renderer = Renderer(14);
  const std::string text = "ééééééééé";
  for (int width = 0; width < renderer.Width(text); ++width) {
    const std::string cut = renderer.Fit(text, width);
    for (const uint32_t code_point : CodePoints(cut)) EXPECT_NE(code_point, kReplacementCharacter);
  }
}

TEST(TextTest, AnyBytesCanBeDrawn) {
  Image image(40, 40);
  Canvas canvas(image);
  TextRenderer renderer = Renderer(14);
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  renderer.Draw(all, -300, 5, kWhite, canvas);
  EXPECT_GT(renderer.Width(all), 0);
  EXPECT_EQ(renderer.Width("\n\t"), renderer.Width("  "));
}

}  // namespace
}  // namespace waystone
