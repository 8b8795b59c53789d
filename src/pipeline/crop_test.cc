// SPDX-License-Identifier: Apache-2.0
#include "pipeline/crop.h"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;

void ExpectRect(const std::optional<TurnedRect>& rect, const TurnedRect& wanted) {
  ASSERT_TRUE(rect.has_value());
  EXPECT_NEAR(rect->center_x, wanted.center_x, 1e-3);
  EXPECT_NEAR(rect->center_y, wanted.center_y, 1e-3);
  EXPECT_NEAR(rect->width, wanted.width, 1e-3);
  EXPECT_NEAR(rect->height, wanted.height, 1e-3);
  EXPECT_NEAR(rect->angle, wanted.angle, 1e-4);
}

Detection Hand() {
  Detection hand;
  hand.box = {100, 100, 140, 120};
  hand.points = {{120, 130}, {120, 110}, {150, 130}};
  return hand;
}

TEST(CropAroundTest, IsASquareOfTheLongerSide) {
  CropSpec spec;
  spec.scale = 1.5F;
  ExpectRect(CropAround(Hand(), spec), {120, 110, 60, 60, 0});
}

TEST(CropAroundTest, KeepsTheSidesWhereItIsNoSquare) {
  CropSpec spec;
  spec.square = false;
  ExpectRect(CropAround(Hand(), spec), {120, 110, 40, 20, 0});
}

TEST(CropAroundTest, TurnsSoThatTheLineBetweenTwoPointsStandsUpright) {
  CropSpec spec;
  spec.angle = 90;
  spec.rotate = {0, 1};  // points up already
  ExpectRect(CropAround(Hand(), spec), {120, 110, 40, 40, 0});
  spec.rotate = {0, 2};  // points to the right: a quarter turn clockwise
  ExpectRect(CropAround(Hand(), spec), {120, 110, 40, 40, kPi / 2});
}

TEST(CropAroundTest, ShiftsAlongItsOwnTurnedAxes) {
  CropSpec spec;
  spec.shift = {0, -0.5F};
  ExpectRect(CropAround(Hand(), spec), {120, 100, 40, 40, 0});
  spec.rotate = {0, 2};
  spec.angle = 90;
  // Upwards in the crop is to the right in the picture.
  ExpectRect(CropAround(Hand(), spec), {130, 110, 40, 40, kPi / 2});
}

TEST(CropAroundTest, TakesTheCircleThroughTwoPoints) {
  CropSpec spec;
  spec.circle = {0, 1};
  spec.scale = 1.25F;
  ExpectRect(CropAround(Hand(), spec), {120, 130, 50, 50, 0});
}

TEST(CropAroundTest, IsNothingWithoutThePointsOrWithoutASize) {
  CropSpec spec;
  spec.rotate = {0, 3};
  EXPECT_FALSE(CropAround(Hand(), spec).has_value());
  spec.rotate = {-1, -1};
  Detection flat;
  EXPECT_FALSE(CropAround(flat, spec).has_value());
}

LandmarkSet Seen(float x, float score) {
  LandmarkSet set;
  set.score = score;
  set.points = {{x, 100}, {x + 40, 100}, {x + 20, 80}};
  set.guide_points = {{x, 50}, {x + 10, 50}};
  return set;
}

TEST(NextCropTest, GoesAroundThePointsNamed) {
  FollowSpec spec;
  spec.enabled = true;
  spec.points = {0, 1};
  spec.crop.scale = 2;
  ExpectRect(NextCrop(Seen(10, 1), spec), {30, 100, 80, 80, 0});
}

TEST(NextCropTest, CountsOnOverTheGuidePoints) {
  FollowSpec spec;
  spec.crop.circle = {3, 4};
  ExpectRect(NextCrop(Seen(10, 1), spec), {10, 50, 20, 20, 0});
  spec.crop.circle = {3, 5};
  EXPECT_FALSE(NextCrop(Seen(10, 1), spec).has_value());
}

TEST(NextCropTest, MeasuresTheBoxAlongItsTurnedAxes) {
  LandmarkSet set;
  set.points = {{0, 0}, {30, 30}, {15, 15}};
  FollowSpec spec;
  spec.crop.rotate = {0, 1};
  spec.crop.angle = 0;
  spec.crop.square = false;
  spec.crop.scale = 1;
  // The points lie on a line that becomes the crop's x axis, so there is no height.
  EXPECT_FALSE(NextCrop(set, spec).has_value());
  spec.crop.square = true;
  ExpectRect(NextCrop(set, spec), {15, 15, 30 * std::sqrt(2.0F), 30 * std::sqrt(2.0F), kPi / 4});
}

TEST(MoveToPictureTest, TakesPointsBoxesAndNamesAlong) {
  const PlacedCrop crop = {{100, 50, 20, 20, kPi / 2}, 3, 0.5F, {1, 2, 3, 4}};
  Answers answers;
  LandmarkSet seen;
  seen.points = {{0, 0, 10}, {200, 200}};
  seen.guide_points = {{100, 100}};
  answers.landmarks.push_back(seen);
  answers.embeddings.push_back({});
  MoveToPicture(crop, 200, 200, answers);
  const LandmarkSet& set = answers.landmarks[0];
  EXPECT_NEAR(set.points[0].x, 110, 1e-3);
  EXPECT_NEAR(set.points[0].y, 40, 1e-3);
  EXPECT_NEAR(set.points[0].z, 1, 1e-3);
  EXPECT_NEAR(set.guide_points[0].x, 100, 1e-3);
  EXPECT_NEAR(set.box.x_min, 90, 1e-3);
  EXPECT_NEAR(set.box.y_max, 60, 1e-3);
  EXPECT_EQ(answers.embeddings[0].class_id, 3);
  EXPECT_EQ(answers.embeddings[0].box.y_max, 4);
}

TEST(CropFollowerTest, LooksWhereThingsWereAndFindsAgainWhenTheyAreLost) {
  FollowSpec spec;
  spec.enabled = true;
  spec.refresh = 3;
  CropFollower follower;
  EXPECT_TRUE(follower.NeedsFinder(spec));
  const std::vector<PlacedCrop> found = {{{30, 90, 40, 40, 0}}};
  EXPECT_EQ(follower.Merge(found, true, 4).size(), 1u);
  follower.Update(std::vector{Seen(10, 0.9F)}, spec);
  EXPECT_FALSE(follower.NeedsFinder(spec));
  EXPECT_EQ(follower.Merge({}, false, 4).size(), 1u);
  follower.Update(std::vector{Seen(12, 0.9F)}, spec);
  follower.Merge({}, false, 4);
  follower.Update(std::vector{Seen(14, 0.9F)}, spec);
  EXPECT_TRUE(follower.NeedsFinder(spec)) << "others may have come";
  // The one it follows is found once more, and another.
  const std::vector<PlacedCrop> again = {{{34, 91, 40, 40, 0}}, {{200, 90, 40, 40, 0}}};
  EXPECT_EQ(follower.Merge(again, true, 4).size(), 2u);
  EXPECT_EQ(follower.Merge(again, true, 1).size(), 1u);
  follower.Update(std::vector{Seen(14, 0.4F)}, spec);
  EXPECT_TRUE(follower.NeedsFinder(spec)) << "it was lost";
}

TEST(CropFollowerTest, TwoCropsThatCameToOneObjectBecomeOne) {
  FollowSpec spec;
  spec.enabled = true;
  CropFollower follower;
  follower.Update(std::vector{Seen(10, 0.9F), Seen(11, 0.8F), Seen(100, 0.8F)}, spec);
  EXPECT_EQ(follower.Merge({}, false, 4).size(), 2u);
}

}  // namespace
}  // namespace waystone
