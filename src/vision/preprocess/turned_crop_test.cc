// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/turned_crop.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using ::testing::ElementsAre;

// Red grows to the right, green downwards.
Image Ramp(int width, int height) {
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      uint8_t* pixel = image.row(y) + 3 * x;
      pixel[0] = static_cast<uint8_t>(10 * x);
      pixel[1] = static_cast<uint8_t>(10 * y);
      pixel[2] = 200;
    }
  }
  return image;
}

std::array<int, 3> PixelAt(const Image& image, int x, int y) {
  const uint8_t* pixel = image.row(y) + 3 * x;
  return {pixel[0], pixel[1], pixel[2]};
}

TEST(TurnedCropTest, CopiesARectangleThatIsNotTurned) {
  const Image image = Ramp(20, 20);
  const auto crop = CropTurned(image.view(), {8, 6, 4, 2, 0}, 4, 2);
  ASSERT_TRUE(crop.ok()) << crop.status();
  EXPECT_THAT(PixelAt(*crop, 0, 0), ElementsAre(60, 50, 200));
  EXPECT_THAT(PixelAt(*crop, 3, 1), ElementsAre(90, 60, 200));
}

TEST(TurnedCropTest, AQuarterTurnPutsTheRightOfThePictureOnTop) {
  const Image image = Ramp(20, 20);
  const auto crop = CropTurned(image.view(), {10, 10, 4, 4, std::numbers::pi_v<float> / 2}, 4, 4);
  ASSERT_TRUE(crop.ok()) << crop.status();
  // The crop's x axis points down, its y axis to the left.
  EXPECT_THAT(PixelAt(*crop, 0, 0), ElementsAre(110, 80, 200));
  EXPECT_THAT(PixelAt(*crop, 3, 0), ElementsAre(110, 110, 200));
  EXPECT_THAT(PixelAt(*crop, 0, 3), ElementsAre(80, 80, 200));
}

TEST(TurnedCropTest, IsBlackOutsideThePicture) {
  const Image image = Ramp(4, 4);
  const auto crop = CropTurned(image.view(), {0, 2, 8, 4, 0}, 8, 4);
  ASSERT_TRUE(crop.ok()) << crop.status();
  EXPECT_THAT(PixelAt(*crop, 0, 0), ElementsAre(0, 0, 0));
  EXPECT_THAT(PixelAt(*crop, 4, 0), ElementsAre(0, 0, 200));
}

TEST(TurnedCropTest, TakesTheMeanWhereItShrinks) {
  Image stripes(64, 8);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 64; ++x) stripes.row(y)[3 * x] = x % 2 == 0 ? 0 : 200;
  }
  const auto crop = CropTurned(stripes.view(), {32, 4, 64, 8, 0}, 16, 2);
  ASSERT_TRUE(crop.ok()) << crop.status();
  for (int x = 1; x < 15; ++x) EXPECT_NEAR(crop->row(0)[3 * x], 100, 1);
}

TEST(TurnedCropTest, PointsComeBackToWhereTheyWereTaken) {
  const TurnedRect rect = {100, 50, 40, 40, 0.7F};
  // The middle of the crop is the rectangle's centre, whatever the angle.
  const Landmark centre = FromCrop({112, 112, 0}, rect, 224, 224);
  EXPECT_NEAR(centre.x, 100, 1e-3);
  EXPECT_NEAR(centre.y, 50, 1e-3);
  const Landmark right = FromCrop({224, 112, 22.4F, 0.5F}, rect, 224, 224);
  EXPECT_NEAR(right.x, 100 + 20 * std::cos(0.7), 1e-3);
  EXPECT_NEAR(right.y, 50 + 20 * std::sin(0.7), 1e-3);
  EXPECT_NEAR(right.z, 4, 1e-3);
  EXPECT_EQ(right.score, 0.5F);
}

TEST(TurnedCropTest, RefusesWhatCannotBeCut) {
  const Image image = Ramp(4, 4);
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const TurnedRect& rect :
       {TurnedRect{kNan, 0, 4, 4, 0}, TurnedRect{0, 0, kNan, 4, 0}, TurnedRect{0, 0, 4, 0.5F, 0},
        TurnedRect{0, 0, 4, 4, kNan}, TurnedRect{0, 0, 2e6F, 4, 0}, TurnedRect{-2e6F, 0, 4, 4, 0}}) {
    EXPECT_FALSE(IsUsable(rect));
    EXPECT_EQ(CropTurned(image.view(), rect, 4, 4).status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(CropTurned(image.view(), {2, 2, 4, 4, 0}, 0, 4).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CropTurned(image.view(), {2, 2, 4, 4, 0}, 4, 8193).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace waystone
