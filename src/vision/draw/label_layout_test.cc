// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/label_layout.h"

#include <gtest/gtest.h>

namespace waystone {
namespace {

constexpr PixelRect kPicture = {0, 0, 640, 480};

bool Inside(const PixelRect& label) {
  return label.left >= 0 && label.top >= 0 && label.right <= kPicture.right &&
         label.bottom <= kPicture.bottom;
}

TEST(LabelLayoutTest, StandsOnItsBoxWhereThereIsRoom) {
  LabelLayout layout(kPicture);
  const auto label = layout.Place({100, 200, 300, 400}, 80, 20);
  ASSERT_TRUE(label.has_value());
  EXPECT_EQ(label->left, 100);
  EXPECT_EQ(label->bottom, 200);
  EXPECT_EQ(label->width(), 80);
  EXPECT_EQ(label->height(), 20);
}

TEST(LabelLayoutTest, GoesInsideABoxAtThePictureTop) {
  LabelLayout layout(kPicture);
  const auto label = layout.Place({100, 5, 300, 400}, 80, 20);
  ASSERT_TRUE(label.has_value());
  EXPECT_EQ(label->top, 5);
}

TEST(LabelLayoutTest, StaysInsideThePictureForBoxesAtItsEdges) {
  for (const PixelRect& box : {PixelRect{0, 0, 5, 5},
                               {630, 0, 640, 10},
                               {0, 470, 10, 480},
                               {635, 475, 640, 480},
                               {0, 0, 640, 480}}) {
    LabelLayout layout(kPicture);
    const auto label = layout.Place(box, 120, 24);
    ASSERT_TRUE(label.has_value());
    EXPECT_TRUE(Inside(*label)) << label->left << ", " << label->top;
  }
}

TEST(LabelLayoutTest, LabelsOfOneBoxDoNotCoverOneAnother) {
  LabelLayout layout(kPicture);
  const PixelRect box = {200, 100, 420, 300};
  std::vector<PixelRect> labels;
  for (int i = 0; i < 8; ++i) {
    const auto label = layout.Place(box, 90, 20);
    ASSERT_TRUE(label.has_value()) << i;
    for (const PixelRect& other : labels) EXPECT_TRUE(Intersection(*label, other).empty());
    labels.push_back(*label);
  }
  EXPECT_FALSE(layout.Place(box, 90, 20).has_value());  // no corner is left
}

TEST(LabelLayoutTest, LabelsStopBeforeTheyHideThePicture) {
  LabelLayout layout({0, 0, 60, 40});
  EXPECT_TRUE(layout.Place({0, 0, 60, 40}, 58, 20).has_value());  // the first in any case
  EXPECT_FALSE(layout.Place({0, 0, 60, 40}, 58, 20).has_value());
}

}  // namespace
}  // namespace waystone
