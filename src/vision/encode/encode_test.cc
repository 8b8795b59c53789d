// SPDX-License-Identifier: Apache-2.0
#include "vision/encode/encode.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vision/decode/decode.h"

namespace waystone {
namespace {

using testing::HasSubstr;

Image Gradient(int width, int height) {
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      uint8_t* pixel = image.row(y) + 3 * static_cast<size_t>(x);
      pixel[0] = static_cast<uint8_t>(40 + x / 4);
      pixel[1] = static_cast<uint8_t>(40 + y / 2);
      pixel[2] = 90;
    }
  }
  return image;
}

int LargestDifference(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) return 256;
  int largest = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i)
    largest = std::max(largest, std::abs(a.pixels[i] - b.pixels[i]));
  return largest;
}

class EncodeTest : public testing::TestWithParam<EncodedFormat> {};

TEST_P(EncodeTest, WhatIsWrittenReadsBack) {
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 3}, {61, 47}, {640, 3}}) {
    const Image original = Gradient(width, height);
    const auto encoded = EncodePicture(original.view(), GetParam(), 95);
    ASSERT_TRUE(encoded.ok()) << encoded.status();
    const auto picture = DecodePicture(*encoded, {});
    ASSERT_TRUE(picture.ok()) << picture.status();
    EXPECT_LE(LargestDifference(picture->image, original), GetParam() == EncodedFormat::kPng ? 0 : 14)
        << width << " x " << height;
  }
}

TEST_P(EncodeTest, RowsMayStandApart) {
  const Image whole = Gradient(80, 40);
  const ImageView part = {whole.row(10) + 3 * 20, 30, 20, 3 * 80};
  const auto encoded = EncodePicture(part, GetParam(), 95);
  ASSERT_TRUE(encoded.ok()) << encoded.status();
  const auto picture = DecodePicture(*encoded, {});
  ASSERT_TRUE(picture.ok()) << picture.status();
  Image expected(30, 20);
  for (int y = 0; y < 20; ++y) std::copy(part.row(y), part.row(y) + 90, expected.row(y));
  EXPECT_LE(LargestDifference(picture->image, expected), GetParam() == EncodedFormat::kPng ? 0 : 14);
}

TEST_P(EncodeTest, EmptyPicturesAndBadQualitiesAreInvalid) {
  const Image image = Gradient(8, 8);
  EXPECT_EQ(EncodePicture(ImageView(), GetParam()).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(EncodePicture({image.pixels.data(), 8, 0, 24}, GetParam()).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(EncodePicture({image.pixels.data(), 8, 8, 23}, GetParam()).status().code(),
            absl::StatusCode::kInvalidArgument);
  for (const int quality : {-1, 0, 101}) {
    const auto encoded = EncodePicture(image.view(), GetParam(), quality);
    EXPECT_EQ(encoded.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(encoded.status().message()), HasSubstr(std::to_string(quality)));
  }
  EXPECT_TRUE(EncodePicture(image.view(), GetParam(), 1).ok());
  EXPECT_TRUE(EncodePicture(image.view(), GetParam(), 100).ok());
}

INSTANTIATE_TEST_SUITE_P(AllFormats, EncodeTest,
                         testing::Values(EncodedFormat::kJpeg, EncodedFormat::kPng, EncodedFormat::kWebp));

TEST(EncodeLimitsTest, SidesTheFormatCannotHoldAreInvalid) {
  const Image jpeg_widest(65500, 1);
  EXPECT_TRUE(EncodePicture(jpeg_widest.view(), EncodedFormat::kJpeg).ok());
  const Image jpeg_too_wide(65501, 1);
  const auto jpeg = EncodePicture(jpeg_too_wide.view(), EncodedFormat::kJpeg);
  EXPECT_EQ(jpeg.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(jpeg.status().message()), HasSubstr("65500"));

  const Image webp_highest(1, 16383);
  EXPECT_TRUE(EncodePicture(webp_highest.view(), EncodedFormat::kWebp).ok());
  const Image webp_too_high(1, 16384);
  const auto webp = EncodePicture(webp_too_high.view(), EncodedFormat::kWebp);
  EXPECT_EQ(webp.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(webp.status().message()), HasSubstr("16383"));
}

TEST(EncodeQualityTest, LessQualityTakesFewerBytes) {
  Image noise = Gradient(64, 64);
  uint32_t state = 1;
  for (uint8_t& channel : noise.pixels)
    channel = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  for (const EncodedFormat format : {EncodedFormat::kJpeg, EncodedFormat::kWebp}) {
    EXPECT_LT(EncodePicture(noise.view(), format, 20)->size(),
              EncodePicture(noise.view(), format, 95)->size());
  }
}

}  // namespace
}  // namespace waystone
