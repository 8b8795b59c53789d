// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/placement.h"

#include <gtest/gtest.h>

namespace waystone {
namespace {

PreprocessSpec Letterbox(int width, int height, Anchor anchor) {
  PreprocessSpec spec;
  spec.width = width;
  spec.height = height;
  spec.resize = ResizeMode::kLetterbox;
  spec.anchor = anchor;
  return spec;
}

PreprocessSpec CenterCrop(int side, int resize_short) {
  PreprocessSpec spec;
  spec.width = spec.height = side;
  spec.resize = ResizeMode::kCenterCrop;
  spec.resize_short = resize_short;
  return spec;
}

TEST(PlacementTest, LetterboxTruncatesTheSideThatDoesNotLimit) {
  const Placement placement =
      PlacePicture(Letterbox(416, 416, Anchor::kTopLeft), 640, 427);  // 427 * 0.65 = 277.55
  EXPECT_EQ(placement.x, (AxisPlacement{.resized = 416, .crop = 0, .offset = 0, .count = 416}));
  EXPECT_EQ(placement.y, (AxisPlacement{.resized = 277, .crop = 0, .offset = 0, .count = 277}));
  EXPECT_FLOAT_EQ(placement.geometry.scale_x, 0.65F);
  EXPECT_FLOAT_EQ(placement.geometry.scale_y, 0.65F);
  EXPECT_EQ(placement.geometry.offset_y, 0);
  EXPECT_EQ(placement.geometry.picture_width, 640);
  EXPECT_EQ(placement.geometry.picture_height, 427);
}

TEST(PlacementTest, CentredLetterboxPutsTheOddPixelOfPaddingAfterThePicture) {
  const Placement placement = PlacePicture(Letterbox(416, 416, Anchor::kCenter), 427, 640);
  EXPECT_EQ(placement.x,
            (AxisPlacement{.resized = 277, .crop = 0, .offset = 69, .count = 277}));  // 139 of padding
  EXPECT_EQ(placement.y.offset, 0);
  EXPECT_EQ(placement.geometry.offset_x, 69);
}

TEST(PlacementTest, LimitingSideFillsTheInputForEveryPictureSize) {
  // 360 * (416.0 / 360) is less than 416 in double precision; sizes must not depend on that.
  for (int side = 1; side <= 5000; ++side) {
    const Placement square = PlacePicture(Letterbox(416, 416, Anchor::kTopLeft), side, side);
    ASSERT_EQ(square.x.count, 416) << side;
    ASSERT_EQ(square.y.count, 416) << side;
    const Placement half = PlacePicture(Letterbox(416, 416, Anchor::kTopLeft), 2 * side, side);
    ASSERT_EQ(half.x.count, 416) << side;
    ASSERT_EQ(half.y.count, 208) << side;
  }
}

TEST(PlacementTest, LetterboxKeepsAtLeastOnePixelOfTheThinSide) {
  const Placement placement = PlacePicture(Letterbox(416, 416, Anchor::kCenter), 60000, 1);
  EXPECT_EQ(placement.x.count, 416);
  EXPECT_EQ(placement.y, (AxisPlacement{.resized = 1, .crop = 0, .offset = 207, .count = 1}));
}

TEST(PlacementTest, LetterboxOfANonSquareInputTakesTheTighterFactor) {
  const Placement placement = PlacePicture(Letterbox(320, 240, Anchor::kTopLeft), 100, 100);
  EXPECT_EQ(placement.x.count, 240);
  EXPECT_EQ(placement.y.count, 240);
  EXPECT_FLOAT_EQ(placement.geometry.scale_x, 2.4F);
}

TEST(PlacementTest, StretchScalesTheAxesApart) {
  PreprocessSpec spec;
  spec.width = spec.height = 352;
  const Placement placement = PlacePicture(spec, 640, 427);
  EXPECT_EQ(placement.x, (AxisPlacement{.resized = 352, .crop = 0, .offset = 0, .count = 352}));
  EXPECT_EQ(placement.y, placement.x);
  EXPECT_FLOAT_EQ(placement.geometry.scale_x, 0.55F);
  EXPECT_FLOAT_EQ(placement.geometry.scale_y, 352.0F / 427);
}

TEST(PlacementTest, CenterCropRoundsTheLongSideAndCutsTheMiddle) {
  const Placement wide = PlacePicture(CenterCrop(224, 256), 500, 375);  // 500 * 256 / 375 = 341.33
  EXPECT_EQ(wide.x, (AxisPlacement{.resized = 341, .crop = 58, .offset = 0, .count = 224}));
  EXPECT_EQ(wide.y, (AxisPlacement{.resized = 256, .crop = 16, .offset = 0, .count = 224}));
  EXPECT_FLOAT_EQ(wide.geometry.scale_x, 341.0F / 500);
  EXPECT_FLOAT_EQ(wide.geometry.scale_y, 256.0F / 375);
  EXPECT_EQ(wide.geometry.offset_x, -58);
  EXPECT_EQ(wide.geometry.offset_y, -16);

  const Placement tall = PlacePicture(CenterCrop(128, 146), 333, 500);  // 500 * 146 / 333 = 219.22
  EXPECT_EQ(tall.x.resized, 146);
  EXPECT_EQ(tall.y, (AxisPlacement{.resized = 219, .crop = 45, .offset = 0, .count = 128}));
}

TEST(PlacementTest, CenterCropOfTheThinnestPictureStaysWithinItsNumbers) {
  const Placement placement = PlacePicture(CenterCrop(8192, 16384), kMaxPictureSide, 1);
  EXPECT_EQ(placement.x.resized, int64_t{1} << 34);
  EXPECT_EQ(placement.x.crop + placement.x.count / 2, int64_t{1} << 33);
  EXPECT_EQ(placement.y.resized, 16384);
}

}  // namespace
}  // namespace waystone
