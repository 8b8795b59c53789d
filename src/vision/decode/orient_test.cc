// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/orient.h"

#include <cstring>

#include <gtest/gtest.h>

#include "vision/decode/test_pictures.h"

namespace waystone {
namespace {

// Where stored pixel (x, y) of a width x height picture belongs, spelled out from the EXIF specification's
// table: what side of the scene row 0 and column 0 are.
std::pair<int, int> UprightPlace(int orientation, int x, int y, int width, int height) {
  switch (orientation) {
    case 2:
      return {width - 1 - x, y};
    case 3:
      return {width - 1 - x, height - 1 - y};
    case 4:
      return {x, height - 1 - y};
    case 5:
      return {y, x};
    case 6:
      return {height - 1 - y, x};
    case 7:
      return {height - 1 - y, width - 1 - x};
    case 8:
      return {y, width - 1 - x};
    default:
      return {x, y};
  }
}

Image Turned(const Image& stored, int orientation) {
  const bool swap = orientation >= 5;
  Image upright(swap ? stored.height : stored.width, swap ? stored.width : stored.height);
  for (int y = 0; y < stored.height; ++y) {
    for (int x = 0; x < stored.width; ++x) {
      const auto [to_x, to_y] = UprightPlace(orientation, x, y, stored.width, stored.height);
      std::memcpy(upright.row(to_y) + 3 * to_x, stored.row(y) + 3 * x, 3);
    }
  }
  return upright;
}

class OrientTest : public testing::TestWithParam<int> {};

TEST_P(OrientTest, RowsWrittenStripByStripMakeTheUprightPicture) {
  for (const auto& [width, height] : {std::pair{7, 5}, {1, 40}, {40, 1}, {33, 64}, {20, 149}}) {
    const Image stored = TestPattern(width, height);
    Image upright = MakeUprightImage(width, height, GetParam());
    UprightRows rows(upright, GetParam());
    for (int first = 0; first < height; first += UprightRows::kStripRows) {
      const int count = std::min(UprightRows::kStripRows, height - first);
      for (int y = first; y < first + count; ++y) std::memcpy(rows.Row(y), stored.row(y), 3 * width);
      rows.Place(first, count);
    }
    EXPECT_EQ(LargestDifference(upright, Turned(stored, GetParam())), 0) << width << " x " << height;
  }
}

TEST_P(OrientTest, WholePictureTurnsTheSameWay) {
  Image image = TestPattern(21, 34);
  const Image expected = Turned(image, GetParam());
  TurnUpright(image, GetParam());
  EXPECT_EQ(LargestDifference(image, expected), 0);
}

INSTANTIATE_TEST_SUITE_P(AllOrientations, OrientTest, testing::Range(1, 9));

}  // namespace
}  // namespace waystone
