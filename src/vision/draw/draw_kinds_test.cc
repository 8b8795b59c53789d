// SPDX-License-Identifier: Apache-2.0
//
// Drawing of landmarks, masks, boxes in space and matches: what shows where, and that no number breaks it.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vision/draw/canvas.h"
#include "vision/draw/draw.h"
#include "vision/draw/matches.h"

namespace waystone {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kFar = 1e30F;

Image Grey(int width, int height) {
  Image image(width, height);
  std::fill(image.pixels.begin(), image.pixels.end(), uint8_t{128});
  return image;
}

bool IsGrey(const Image& image, int x, int y) {
  const uint8_t* pixel = image.row(y) + 3 * x;
  return pixel[0] == 128 && pixel[1] == 128 && pixel[2] == 128;
}

Prediction Empty(Task task, int width, int height) {
  Prediction prediction;
  prediction.task = task;
  prediction.width = width;
  prediction.height = height;
  return prediction;
}

void Draw(const Prediction& prediction, const AnswerNames& names, Image& image) {
  const auto annotator = Annotator::Create();
  ASSERT_TRUE(annotator.ok()) << annotator.status();
  (*annotator)->Draw(prediction, names, image);
}

TEST(CanvasTest, ALineCoversItsLengthAndNothingElse) {
  Image image = Grey(40, 40);
  Canvas canvas(image);
  canvas.Line(5, 5, 35, 35, 3, kWhite);
  for (int i = 6; i < 34; ++i) EXPECT_EQ(image.row(i)[3 * i], 255) << i;
  EXPECT_TRUE(IsGrey(image, 20, 25));
  EXPECT_TRUE(IsGrey(image, 2, 2));
  EXPECT_TRUE(IsGrey(image, 38, 38));
}

TEST(CanvasTest, ALineStopsAtTheEdgeAndADiscIsRound) {
  Image image = Grey(20, 20);
  Canvas canvas(image);
  canvas.Line(-1000, 10, 1000, 10, 1, kWhite);
  EXPECT_EQ(image.row(10)[0] > 128 || image.row(9)[0] > 128, true);
  canvas.Line(kNan, 0, 10, 10, 3, kBlack);
  canvas.Line(kFar, 0, 10, 10, 3, kBlack);
  for (const uint8_t value : image.pixels) EXPECT_GE(value, 128);
  canvas.Disc(10, 4, 3, kBlack);
  EXPECT_EQ(image.row(4)[3 * 10], 0);
  EXPECT_TRUE(IsGrey(image, 14, 1)) << "the corner of the disc's square";
}

TEST(DrawLandmarksTest, DrawsVisibleEdgesAtTheImagesOwnScale) {
  Prediction prediction = Empty(Task::kLandmarks, 400, 400);
  LandmarkSet body;
  body.score = 0.9F;
  body.box = {80, 80, 320, 320};
  body.points = {{80, 200}, {320, 200}, {200, 80}, {200, 320, 0, 0.1F}};
  prediction.landmarks = {body};
  Image image = Grey(200, 200);  // half the picture's size
  Draw(prediction, {.labels = {"body"}, .edges = {{0, 1}, {2, 3}, {0, 99}}}, image);
  EXPECT_FALSE(IsGrey(image, 100, 100)) << "the middle of the edge from 0 to 1";
  EXPECT_TRUE(IsGrey(image, 100, 130)) << "the edge to a point that does not show";
  EXPECT_TRUE(IsGrey(image, 100, 160)) << "the point itself";
}

TEST(DrawLandmarksTest, AnyNumberIsHarmless) {
  for (const float value : {kNan, kFar, -kFar, std::numeric_limits<float>::infinity()}) {
    Prediction prediction = Empty(Task::kLandmarks, 100, 100);
    LandmarkSet set;
    set.box = {value, 0, 50, value};
    set.points = std::vector<Landmark>(150, Landmark{value, 10, value, 1});
    prediction.landmarks = {set};
    Image image = Grey(64, 48);
    Draw(prediction, {.edges = {{0, 1}}}, image);
    prediction.task = Task::kFeatures;
    prediction.features.points = set.points;
    Draw(prediction, {}, image);
    prediction.task = Task::kBox3d;
    Box3d box;
    box.points.fill({value, value});
    prediction.boxes3d = {box};
    Draw(prediction, {}, image);
    EXPECT_EQ(image.pixels.size(), size_t{3} * 64 * 48);
  }
}

TEST(DrawSegmentsTest, ColoursTheMaskAndLeavesTheBackground) {
  Prediction prediction = Empty(Task::kSegment, 200, 100);
  prediction.mask = {SegmentMask::Kind::kClassIds, 4, 2, {0, 0, 1, 1, 0, 0, 1, 1}};
  Image image = Grey(200, 100);
  Draw(prediction, {.labels = {"background", "cat"}}, image);
  EXPECT_TRUE(IsGrey(image, 50, 50));
  EXPECT_FALSE(IsGrey(image, 150, 50));
  Image named = Grey(200, 100);
  Draw(prediction, {.labels = {"sky", "cat"}}, named);
  EXPECT_FALSE(IsGrey(named, 50, 50)) << "only a class of the name background is left out";
}

TEST(DrawSegmentsTest, AProbabilityShowsFromOneHalf) {
  Prediction prediction = Empty(Task::kSegment, 100, 100);
  prediction.mask = {SegmentMask::Kind::kProbability, 2, 1, {100, 200}};
  Image image = Grey(100, 100);
  Draw(prediction, {}, image);
  EXPECT_TRUE(IsGrey(image, 10, 50));
  EXPECT_FALSE(IsGrey(image, 90, 50));
  prediction.mask.values.pop_back();  // of another size than it says: not drawn
  Image untouched = Grey(100, 100);
  Draw(prediction, {}, untouched);
  EXPECT_TRUE(IsGrey(untouched, 90, 50));
}

TEST(DrawBoxes3dTest, DrawsTheTwelveEdgesAndNotTheDiagonals) {
  Prediction prediction = Empty(Task::kBox3d, 100, 100);
  Box3d box;
  box.score = 0.9F;
  for (size_t i = 0; i < 8; ++i) {
    box.points[i + 1] = {static_cast<float>((i & 4) != 0 ? 80 : 20) + ((i & 1) != 0 ? 10.0F : 0.0F),
                         static_cast<float>((i & 2) != 0 ? 80 : 30)};
  }
  box.points[0] = {55, 55};
  box.box = {20, 30, 90, 80};
  prediction.boxes3d = {box};
  Image image = Grey(100, 100);
  Draw(prediction, {}, image);
  EXPECT_FALSE(IsGrey(image, 50, 80)) << "an edge along x";
  EXPECT_FALSE(IsGrey(image, 20, 65)) << "an edge along y";
  EXPECT_TRUE(IsGrey(image, 40, 67)) << "inside";
}

TEST(DrawMatchesTest, PutsBothPicturesSideBySideWithALineBetween) {
  const Image a = Grey(40, 30);
  const Image b = Grey(60, 20);
  const auto both = DrawMatches(a.view(), b.view(), std::vector<MatchedPlaces>{{{10, 10}, {30, 10}, 0.9F}});
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(both->width, 100);
  EXPECT_EQ(both->height, 30);
  EXPECT_FALSE(IsGrey(*both, 40, 10));
  EXPECT_TRUE(IsGrey(*both, 40, 18));
  EXPECT_EQ(both->row(25)[3 * 70], 0) << "below the smaller picture";
  EXPECT_FALSE(DrawMatches(a.view(), ImageView(), {}).ok());
  ImageView wide = b.view();
  wide.width = 1 << 16;
  EXPECT_FALSE(DrawMatches(a.view(), wide, {}).ok());
}

}  // namespace
}  // namespace waystone
