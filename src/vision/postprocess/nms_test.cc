// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/nms.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using ::testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(SuppressOverlapsTest, DropsTheWeakerOfTwoBoxesThatOverlapMoreThanTheLimit) {
  const std::vector<Box> boxes = {
      {0, 0, 10, 10}, {2, 0, 12, 10}, {20, 0, 30, 10}};  // the first two by 80 of 120
  EXPECT_THAT(SuppressOverlaps(boxes, 0.66F, 100), ElementsAre(0, 2));
  EXPECT_THAT(SuppressOverlaps(boxes, 0.67F, 100), ElementsAre(0, 1, 2));
}

TEST(SuppressOverlapsTest, ABoxDroppedDoesNotDropOthers) {
  const std::vector<Box> chain = {{0, 0, 10, 10}, {4, 0, 14, 10}, {8, 0, 18, 10}};
  EXPECT_THAT(SuppressOverlaps(chain, 0.4F, 100), ElementsAre(0, 2));
}

TEST(SuppressOverlapsTest, EmptyBoxesAreNeverDroppedAndDropNothing) {
  const std::vector<Box> boxes = {{5, 5, 5, 5}, {5, 5, 5, 5}, {0, 0, 10, 10}};
  EXPECT_THAT(SuppressOverlaps(boxes, 0, 100), ElementsAre(0, 1, 2));
}

TEST(SuppressOverlapsTest, KeepsAtMostSoMany) {
  const std::vector<Box> boxes = {{0, 0, 1, 1}, {2, 0, 3, 1}, {4, 0, 5, 1}};
  EXPECT_THAT(SuppressOverlaps(boxes, 0.5F, 2), ElementsAre(0, 1));
  EXPECT_THAT(SuppressOverlaps(boxes, 0.5F, 0), ElementsAre());
}

// Cell i at the i-th of places that do not touch.
Box PlaceOf(int32_t cell) {
  const float x = 20.0F * static_cast<float>(cell);
  return {x, 0, x + 10, 10};
}

TEST(MakeDetectionsTest, OrdersClassesTogetherAndHoldsTheLimits) {
  const auto find = [](int max_per_class, int max_detections) {
    CandidateList list(2, 0.1F);
    for (int32_t cell = 0; cell < 6; ++cell)
      list.Add(0.9F - 0.1F * static_cast<float>(cell / 2), cell, static_cast<size_t>(cell % 2));
    ThresholdSpec thresholds;
    thresholds.max_per_class = max_per_class;
    thresholds.max_detections = max_detections;
    std::vector<int> classes;
    for (const Detection& detection : MakeDetections(list, PlaceOf, {}, thresholds)) {
      classes.push_back(detection.class_id);
    }
    return classes;
  };
  EXPECT_THAT(find(100, 100), ElementsAre(0, 1, 0, 1, 0, 1));
  EXPECT_THAT(find(2, 100), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(find(2, 3), ElementsAre(0, 1, 0));
  EXPECT_THAT(find(0, 3), ElementsAre());
  EXPECT_THAT(find(100, -1), ElementsAre());
}

TEST(MakeDetectionsTest, ClassesDoNotTouchEachOther) {
  CandidateList list(2, 0.1F);
  list.Add(0.9F, 0, 0);
  list.Add(0.8F, 0, 1);
  list.Add(0.7F, 0, 0);
  EXPECT_EQ(MakeDetections(list, PlaceOf, {}, {}).size(), 2u);
}

TEST(MakeDetectionsTest, MapsBoxesToThePictureAndLeavesOutWhatIsNotFinite) {
  CandidateList list(6, 0.1F);
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
    CandidateList list(6, 0.1F);
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
