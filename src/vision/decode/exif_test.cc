// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/exif.h"

#include <string>

#include <gtest/gtest.h>

#include "vision/decode/test_pictures.h"

namespace waystone {
namespace {

using namespace std::string_literals;

TEST(ExifTest, ReadsEveryOrientationInBothByteOrders) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    EXPECT_EQ(OrientationFromExif(OrientationTiff(orientation, /*big_endian=*/false)), orientation);
    EXPECT_EQ(OrientationFromExif(OrientationTiff(orientation, /*big_endian=*/true)), orientation);
    EXPECT_EQ(OrientationFromExif("Exif\0\0"s + OrientationTiff(orientation)), orientation);
  }
}

TEST(ExifTest, ValuesOutsideOneToEightReadAsUpright) {
  for (const int orientation : {0, 9, 255}) EXPECT_EQ(OrientationFromExif(OrientationTiff(orientation)), 1);
}

TEST(ExifTest, EveryTruncationReadsAsUprightOrAsTheWholeDoes) {
  const std::string whole = OrientationTiff(6);
  const size_t end_of_entry = 8 + 2 + 12;
  for (size_t size = 0; size < whole.size(); ++size) {
    // A fresh string each time, so that a sanitizer sees a read past its end.
    const std::string part = whole.substr(0, size);
    EXPECT_EQ(OrientationFromExif(part), size < end_of_entry ? 1 : 6) << size << " bytes";
  }
}

TEST(ExifTest, DirectoryOutsideTheBlockReadsAsUpright) {
  std::string tiff = OrientationTiff(6);
  for (const std::string& offset : {"\xFF\xFF\xFF\xFF"s, "\x18\0\0\0"s, "\0\0\0\0"s, "\xFE\xFF\xFF\x7F"s}) {
    tiff.replace(4, 4, offset);
    EXPECT_EQ(OrientationFromExif(tiff), 1);
  }
}

TEST(ExifTest, EntryCountBeyondTheBlockStopsAtItsEnd) {
  std::string tiff = OrientationTiff(6);
  tiff.replace(8, 2, "\xFF\xFF"s);
  EXPECT_EQ(OrientationFromExif(tiff), 6);
  tiff.replace(10, 2, "\x13\x01"s);  // another tag: nothing to find
  EXPECT_EQ(OrientationFromExif(tiff), 1);
}

TEST(ExifTest, WrongTypeOrCountReadsAsUpright) {
  std::string ascii = OrientationTiff(6);
  ascii.replace(12, 2, "\x02\0"s);
  EXPECT_EQ(OrientationFromExif(ascii), 1);
  std::string two = OrientationTiff(6);
  two.replace(14, 4, "\x02\0\0\0"s);
  EXPECT_EQ(OrientationFromExif(two), 1);
}

}  // namespace
}  // namespace waystone
