// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/nms.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using ::testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> ScoresOf(const std::vector<Detection>& detections) {
  std::vector<float> scores;
  for (const Detection& detection : detections) scores.push_back(detection.score);
  return scores;
}

TEST(SuppressOverlapsTest, DropsTheWeakerOfTwoBoxesOfAClassThatOverlapMoreThanTheLimit) {
  const std::vector<Detection> boxes = {{0, 0.9F, {0, 0, 10, 10}},  // overlaps the next by 80 of 120
                                        {0, 0.8F, {2, 0, 12, 10}},
                                        {0, 0.7F, {20, 0, 30, 10}}};
  EXPECT_THAT(ScoresOf(SuppressOverlaps(boxes, 0.66F, 100, 100)), ElementsAre(0.9F, 0.7F));
  EXPECT_THAT(ScoresOf(SuppressOverlaps(boxes, 0.67F, 100, 100)), ElementsAre(0.9F, 0.8F, 0.7F));
}

TEST(SuppressOverlapsTest, ABoxDroppedDoesNotDropOthers) {
  const std::vector<Detection> chain = {
      {0, 0.9F, {0, 0, 10, 10}}, {0, 0.8F, {4, 0, 14, 10}}, {0, 0.7F, {8, 0, 18, 10}}};
  EXPECT_THAT(ScoresOf(SuppressOverlaps(chain, 0.4F, 100, 100)), ElementsAre(0.9F, 0.7F));
}

TEST(SuppressOverlapsTest, ClassesDoNotTouchEachOtherAndTheOrderStays) {
  const Box box{0, 0, 10, 10};
  const std::vector<Detection> boxes = {{7, 0.9F, box}, {1, 0.8F, box}, {7, 0.7F, box}, {2, 0.6F, box}};
  EXPECT_THAT(ScoresOf(SuppressOverlaps(boxes, 0.5F, 100, 100)), ElementsAre(0.9F, 0.8F, 0.6F));
}

TEST(SuppressOverlapsTest, HoldsTheLimitsOfAClassAndOfThePicture) {
  std::vector<Detection> boxes;
  for (int i = 0; i < 6; ++i) {
    const float x = 20.0F * static_cast<float>(i);
    boxes.push_back({i % 2, 0.9F - 0.1F * static_cast<float>(i), {x, 0, x + 10, 10}});
  }
  EXPECT_EQ(SuppressOverlaps(boxes, 0.5F, 2, 100).size(), 4u);
  EXPECT_EQ(SuppressOverlaps(boxes, 0.5F, 2, 3).size(), 3u);
  EXPECT_EQ(SuppressOverlaps(boxes, 0.5F, 0, 3).size(), 0u);
  EXPECT_EQ(SuppressOverlaps(boxes, 0.5F, 100, -1).size(), 0u);
}

TEST(SuppressOverlapsTest, EmptyBoxesAreNeverDroppedAndDropNothing) {
  const std::vector<Detection> boxes = {
      {0, 0.9F, {5, 5, 5, 5}}, {0, 0.8F, {5, 5, 5, 5}}, {0, 0.7F, {0, 0, 10, 10}}};
  EXPECT_EQ(SuppressOverlaps(boxes, 0, 100, 100).size(), 3u);
}

TEST(MakeDetectionsTest, MapsBoxesToThePictureAndLeavesOutWhatIsNotFinite) {
  CandidateList list(0.1F);
  list.Add(0.9F, 0, 5);
  list.Add(0.8F, 1, 5);
  const InputGeometry letterbox{.scale_x = 0.5F,
                                .scale_y = 0.25F,
                                .offset_x = 10,
                                .offset_y = 20,
                                .picture_width = 100,
                                .picture_height = 100};
  const auto box_of = [](int32_t cell) { return cell == 0 ? Box{15, 25, 40, 45} : Box{0, kNan, 1, 1}; };
  const std::vector<Detection> found = MakeDetections(list, box_of, letterbox, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FLOAT_EQ(found[0].box.x_min, 10);
  EXPECT_FLOAT_EQ(found[0].box.y_min, 20);
  EXPECT_FLOAT_EQ(found[0].box.x_max, 60);
  EXPECT_FLOAT_EQ(found[0].box.y_max, 100);
}

TEST(MakeDetectionsTest, ClipsOnlyWhenAskedAndDropsWhatLiesOutside) {
  const auto box_of = [](int32_t cell) { return cell == 0 ? Box{-5, -5, 50, 20} : Box{41, 0, 60, 9}; };
  const InputGeometry geometry{.picture_width = 40, .picture_height = 10};
  for (const bool clip : {false, true}) {
    CandidateList list(0.1F);
    list.Add(0.9F, 0, 0);
    list.Add(0.8F, 1, 1);
    ThresholdSpec thresholds;
    thresholds.clip_boxes = clip;
    const std::vector<Detection> found = MakeDetections(list, box_of, geometry, thresholds);
    ASSERT_EQ(found.size(), clip ? 1u : 2u);
    EXPECT_EQ(found[0].box.x_min, clip ? 0 : -5);
    EXPECT_EQ(found[0].box.y_max, clip ? 10 : 20);
    EXPECT_EQ(found[0].box.x_max, clip ? 40 : 50);
  }
}

}  // namespace
}  // namespace waystone
