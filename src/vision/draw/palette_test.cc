// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/palette.h"

#include <climits>
#include <cstdlib>

#include <gtest/gtest.h>

namespace waystone {
namespace {

int Distance(Color a, Color b) {
  return std::abs(a.red - b.red) + std::abs(a.green - b.green) + std::abs(a.blue - b.blue);
}

TEST(PaletteTest, TextIsReadableOnEveryClassColor) {
  for (int id = 0; id < 2000; ++id) {
    const Color color = ClassColor(id);
    EXPECT_GE(Contrast(color, TextColorOn(color)), 4.5) << "class " << id;  // WCAG 2 level AA
  }
}

TEST(PaletteTest, ClassesNearInNumberAreFarInColor) {
  for (int id = 0; id < 100; ++id) {
    for (int other = id + 1; other <= id + 8; ++other) {
      EXPECT_GE(Distance(ClassColor(id), ClassColor(other)), 40) << id << " and " << other;
    }
  }
}

TEST(PaletteTest, AnyNumberHasItsOneColor) {
  for (const int id : {INT_MIN, -1, 0, 79, INT_MAX}) EXPECT_EQ(ClassColor(id), ClassColor(id));
  EXPECT_NE(ClassColor(-1), ClassColor(0));
}

TEST(PaletteTest, ContrastIsThatOfTheStandard) {
  EXPECT_NEAR(Contrast(kBlack, kWhite), 21, 1e-9);
  EXPECT_NEAR(Contrast(kWhite, kBlack), 21, 1e-9);
  EXPECT_NEAR(Contrast({119, 119, 119}, kWhite), 4.48, 0.01);  // the well-known grey just under AA
  EXPECT_EQ(TextColorOn(kBlack), kWhite);
  EXPECT_EQ(TextColorOn(kWhite), kBlack);
}

}  // namespace
}  // namespace waystone
