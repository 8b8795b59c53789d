// SPDX-License-Identifier: Apache-2.0
//
// What holds for every format: budgets, deadlines, names.
#include "vision/decode/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "vision/decode/test_pictures.h"

namespace waystone {
namespace {

using testing::HasSubstr;

struct FormatCase {
  EncodedFormat encoded;
  PictureFormat format;
};

class DecodeTest : public testing::TestWithParam<FormatCase> {
 protected:
  static std::string Picture(int width, int height) {
    return Encoded(TestPattern(width, height), GetParam().encoded);
  }
};

TEST_P(DecodeTest, GivesThePictureAndWhatItsHeaderSays) {
  const Image original = TestPattern(61, 47);
  const auto picture = DecodePicture(Encoded(original, GetParam().encoded), {});
  ASSERT_TRUE(picture.ok()) << picture.status();
  EXPECT_EQ(picture->info.format, GetParam().format);
  EXPECT_EQ(picture->info.width, 61);
  EXPECT_EQ(picture->info.height, 47);
  EXPECT_EQ(picture->info.orientation, 1);
  EXPECT_FALSE(picture->partial);
  EXPECT_LE(LargestDifference(picture->image, original), GetParam().format == PictureFormat::kPng ? 0 : 12);
}

TEST_P(DecodeTest, HeaderAloneSaysTheSame) {
  const auto info = ReadPictureInfo(Picture(61, 47), PictureLimits());
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->format, GetParam().format);
  EXPECT_EQ(info->width, 61);
  EXPECT_EQ(info->height, 47);
}

TEST_P(DecodeTest, SideAtTheLimitPassesAndOneMoreIsRefused) {
  DecodeOptions options;
  options.limits.max_side = 40;
  EXPECT_TRUE(DecodePicture(Picture(40, 20), options).ok());
  EXPECT_TRUE(DecodePicture(Picture(20, 40), options).ok());
  const auto refused = DecodePicture(Picture(41, 20), options);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("41"));
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("40"));
  EXPECT_EQ(ReadPictureInfo(Picture(20, 41), options.limits).status().code(), absl::StatusCode::kOutOfRange);
}

TEST_P(DecodeTest, PixelsAtTheLimitPassAndOneMoreRowIsRefused) {
  DecodeOptions options;
  options.limits.max_pixels = 30 * 20;
  EXPECT_TRUE(DecodePicture(Picture(30, 20), options).ok());
  const auto refused = DecodePicture(Picture(30, 21), options);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("630"));
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("600"));
}

TEST_P(DecodeTest, BytesAtTheLimitPassAndOneMoreIsRefused) {
  const std::string encoded = Picture(30, 20);
  DecodeOptions options;
  options.limits.max_encoded_bytes = encoded.size();
  EXPECT_TRUE(DecodePicture(encoded, options).ok());
  options.limits.max_encoded_bytes = encoded.size() - 1;
  EXPECT_EQ(DecodePicture(encoded, options).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(ReadPictureInfo(encoded, options.limits).status().code(), absl::StatusCode::kOutOfRange);
}

TEST_P(DecodeTest, PassedDeadlineEndsTheDecode) {
  DecodeOptions options;
  options.deadline = Deadline::At(SteadyClock().Now());
  EXPECT_EQ(DecodePicture(Picture(30, 20), options).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_P(DecodeTest, EveryTruncationIsAnErrorOrTheWholePicture) {
  const std::string encoded = Picture(48, 40);
  const auto whole = DecodePicture(encoded, {});
  ASSERT_TRUE(whole.ok()) << whole.status();
  for (size_t size = 0; size < encoded.size(); ++size) {
    const std::string part = encoded.substr(0, size);
    const auto picture = DecodePicture(part, {});
    if (picture.ok()) {
      EXPECT_EQ(LargestDifference(picture->image, whole->image), 0)
          << size << " of " << encoded.size() << " bytes";
    } else {
      EXPECT_THAT(picture.status().code(),
                  testing::AnyOf(absl::StatusCode::kDataLoss, absl::StatusCode::kInvalidArgument));
    }
  }
}

TEST_P(DecodeTest, HalfOfTheDataIsDataLoss) {
  const std::string encoded = Picture(200, 160);
  EXPECT_EQ(DecodePicture(encoded.substr(0, encoded.size() / 2), {}).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST_P(DecodeTest, HalfOfTheDataGivesTheUpperPartWhenAskedFor) {
  const Image original = TestPattern(200, 160);
  const std::string encoded = Encoded(original, GetParam().encoded);
  DecodeOptions options;
  options.allow_partial = true;
  const auto picture = DecodePicture(encoded.substr(0, encoded.size() / 2), options);
  ASSERT_TRUE(picture.ok()) << picture.status();
  EXPECT_TRUE(picture->partial);
  ASSERT_EQ(picture->image.height, 160);
  EXPECT_NEAR(picture->image.row(2)[3 * 190], original.row(2)[3 * 190], 12);
  const uint8_t* last = picture->image.row(159) + 3 * 100;
  for (int c = 0; c < 3; ++c) EXPECT_EQ(last[c], 128);
}

INSTANTIATE_TEST_SUITE_P(AllFormats, DecodeTest,
                         testing::Values(FormatCase{EncodedFormat::kJpeg, PictureFormat::kJpeg},
                                         FormatCase{EncodedFormat::kPng, PictureFormat::kPng},
                                         FormatCase{EncodedFormat::kWebp, PictureFormat::kWebp}),
                         [](const auto& instance) { return std::string(Name(instance.param.format)); });

}  // namespace
}  // namespace waystone
