// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/canvas.h"

#include <algorithm>
#include <climits>
#include <vector>

#include <gtest/gtest.h>

namespace waystone {
namespace {

constexpr Color kRed = {255, 0, 0};

int CountRed(const Image& image) {
  int count = 0;
  for (size_t i = 0; i < image.pixels.size(); i += 3) count += image.pixels[i] == 255 ? 1 : 0;
  return count;
}

TEST(CanvasTest, FillIsHalfOpenAndClipped) {
  Image image(10, 8);
  Canvas canvas(image);
  canvas.Fill({2, 3, 5, 7}, kRed);
  EXPECT_EQ(CountRed(image), 3 * 4);
  EXPECT_EQ(image.row(3)[3 * 2], 255);
  EXPECT_EQ(image.row(7)[3 * 2], 0);
  canvas.Fill({INT_MIN, INT_MIN, INT_MAX, INT_MAX}, kRed);
  EXPECT_EQ(CountRed(image), 80);
}

TEST(CanvasTest, FillOutsideOrInsideOutChangesNothing) {
  Image image(10, 8);
  Canvas canvas(image);
  for (const PixelRect& rect : {PixelRect{10, 0, 20, 8}, {-5, -5, 0, 0}, {5, 5, 5, 8}, {6, 2, 3, 7}}) {
    canvas.Fill(rect, kRed);
  }
  EXPECT_EQ(CountRed(image), 0);
}

TEST(CanvasTest, OpacityMixes) {
  Image image(1, 1);
  Canvas canvas(image);
  canvas.Fill(canvas.bounds(), kWhite, 51);
  EXPECT_EQ(image.pixels[0], 51);
}

TEST(CanvasTest, OutlineCoversEachPixelOfItsBandOnce) {
  Image image(20, 20);
  Canvas canvas(image);
  canvas.Outline({2, 2, 12, 10}, 2, kWhite, 100);
  const auto count = std::count(image.pixels.begin(), image.pixels.end(), 100);
  EXPECT_EQ(count, 3 * (10 * 8 - 6 * 4));
  EXPECT_EQ(std::count(image.pixels.begin(), image.pixels.end(), 0), 3 * (400 - 56));
}

TEST(CanvasTest, StampIsClippedOnAllSides) {
  const std::vector<uint8_t> mask(5 * 5, 255);
  for (int left = -6; left <= 6; ++left) {
    for (int top = -6; top <= 6; ++top) {
      Image image(4, 4);
      Canvas canvas(image);
      canvas.Stamp(mask.data(), 5, 5, left, top, kRed);
      const auto overlap = [](int at) { return std::max(0, std::min(at + 5, 4) - std::max(at, 0)); };
      EXPECT_EQ(CountRed(image), overlap(left) * overlap(top)) << left << ", " << top;
    }
  }
}

}  // namespace
}  // namespace waystone
