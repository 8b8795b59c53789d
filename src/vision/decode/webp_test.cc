// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/webp.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <webp/encode.h>

#include "vision/decode/test_pictures.h"
#include "vision/decode/webp_container.h"
#include "vision/decode/webp_lossless.h"

namespace waystone {
namespace {

using testing::HasSubstr;

constexpr uint8_t kAnimationFlag = 0x02;
constexpr uint8_t kExifFlag = 0x08;
constexpr uint8_t kAlphaFlag = 0x10;

std::string LosslessRgba(const std::string& rgba, int width, int height) {
  uint8_t* bytes = nullptr;
  const size_t size =
      WebPEncodeLosslessRGBA(reinterpret_cast<const uint8_t*>(rgba.data()), width, height, 4 * width, &bytes);
  std::string webp(reinterpret_cast<char*>(bytes), size);
  WebPFree(bytes);
  return webp;
}

std::string Lossless(const Image& image) {
  uint8_t* bytes = nullptr;
  const size_t size =
      WebPEncodeLosslessRGB(image.pixels.data(), image.width, image.height, 3 * image.width, &bytes);
  std::string webp(reinterpret_cast<char*>(bytes), size);
  WebPFree(bytes);
  return webp;
}

// An animation of one frame at (x, y), which are even.
std::string Animation(const Image& frame, int x, int y, int canvas_width, int canvas_height) {
  const std::string head = LittleEndianBytes(x / 2, 3) + LittleEndianBytes(y / 2, 3) +
                           LittleEndianBytes(frame.width - 1, 3) + LittleEndianBytes(frame.height - 1, 3) +
                           LittleEndianBytes(100, 3) + LittleEndianBytes(0, 1);
  return ExtendedWebp(
      kAnimationFlag, canvas_width, canvas_height,
      RiffChunk("ANIM", std::string(6, '\0')) + RiffChunk("ANMF", head + FrameChunk(Lossless(frame))));
}

TEST(WebpTest, LosslessIsExact) {
  const Image original = TestPattern(61, 47);
  const auto picture = DecodePicture(Lossless(original), {});
  ASSERT_TRUE(picture.ok()) << picture.status();
  EXPECT_EQ(LargestDifference(picture->image, original), 0);
}

TEST(WebpTest, AlphaIsComposedOverTheBackground) {
  const std::string webp = LosslessRgba(std::string("\xC8\x64\x32\xFF\xC8\x64\x32\x80", 8), 2, 1);
  DecodeOptions options;
  options.background = {10, 20, 30};
  const auto picture = DecodePicture(webp, options);
  ASSERT_TRUE(picture.ok()) << picture.status();
  EXPECT_THAT(picture->image.pixels, testing::ElementsAre(200, 100, 50, 105, 60, 40));
}

TEST(WebpTest, LossyWithAlphaIsComposed) {
  std::string rgba;
  for (int i = 0; i < 64 * 64; ++i)
    rgba += i % 64 < 32 ? std::string("\xC8\x64\x32\xFF", 4) : std::string(4, '\0');
  uint8_t* bytes = nullptr;
  const size_t size = WebPEncodeRGBA(reinterpret_cast<const uint8_t*>(rgba.data()), 64, 64, 256, 90, &bytes);
  const std::string webp(reinterpret_cast<char*>(bytes), size);
  WebPFree(bytes);
  const auto picture = DecodePicture(webp, {});
  ASSERT_TRUE(picture.ok()) << picture.status();
  EXPECT_NEAR(picture->image.row(30)[3 * 10], 200, 8);
  EXPECT_EQ(picture->image.row(30)[3 * 50], 255);
}

TEST(WebpTest, FirstFrameOfAnAnimationLiesOnItsCanvas) {
  const Image frame = TestPattern(16, 8);
  DecodeOptions options;
  options.background = {9, 8, 7};
  const auto picture = DecodePicture(Animation(frame, 4, 6, 40, 30), options);
  ASSERT_TRUE(picture.ok()) << picture.status();
  ASSERT_EQ(picture->image.width, 40);
  ASSERT_EQ(picture->image.height, 30);
  for (int y = 0; y < 8; ++y)
    EXPECT_EQ(std::memcmp(picture->image.row(6 + y) + 3 * 4, frame.row(y), 3 * 16), 0);
  EXPECT_THAT(std::vector<uint8_t>(picture->image.row(5) + 12, picture->image.row(5) + 15),
              testing::ElementsAre(9, 8, 7));
  EXPECT_THAT(std::vector<uint8_t>(picture->image.row(14) + 12, picture->image.row(14) + 15),
              testing::ElementsAre(9, 8, 7));
}

TEST(WebpTest, FrameBeyondItsCanvasIsInvalid) {
  EXPECT_TRUE(DecodePicture(Animation(TestPattern(16, 8), 4, 6, 20, 14), {}).ok());
  for (const auto& [width, height] : {std::pair{19, 14}, {20, 13}, {1, 1}}) {
    const auto picture = DecodePicture(Animation(TestPattern(16, 8), 4, 6, width, height), {});
    EXPECT_EQ(picture.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(picture.status().message()), HasSubstr("does not fit the canvas"));
  }
}

TEST(WebpTest, ExifOrientationTurnsThePicture) {
  const Image original = TestPattern(40, 24);
  const std::string webp =
      ExtendedWebp(kExifFlag, 40, 24, FrameChunk(Lossless(original)) + RiffChunk("EXIF", OrientationTiff(8)));
  const auto turned = DecodePicture(webp, {});
  ASSERT_TRUE(turned.ok()) << turned.status();
  EXPECT_EQ(turned->info.orientation, 8);
  EXPECT_EQ(turned->image.width, 24);
  EXPECT_EQ(turned->image.height, 40);
  EXPECT_EQ(std::memcmp(turned->image.row(39), original.row(0), 3), 0);
}

TEST(WebpTest, WholePictureBuffersOfLosslessAreBudgeted) {
  const std::string webp = Lossless(TestPattern(100, 50));
  DecodeOptions options;
  const uint64_t needed = 4 * 100 * 50 + LosslessTableBytes(std::string_view(webp).substr(25), 100, 50);
  options.limits.max_working_bytes = needed;
  EXPECT_TRUE(DecodePicture(webp, options).ok());
  options.limits.max_working_bytes -= 1;
  const auto refused = DecodePicture(webp, options);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr(std::to_string(needed)));
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr(std::to_string(needed - 1)));
}

TEST(WebpTest, CanvasOfTheExtendedHeaderIsBudgetedToo) {
  const auto picture = DecodePicture(Animation(TestPattern(16, 8), 0, 0, 1 << 14, 1 << 14), {});
  EXPECT_EQ(picture.status().code(), absl::StatusCode::kOutOfRange);
}

TEST(WebpTest, StillPictureHasToFillItsCanvas) {
  const std::string webp = ExtendedWebp(kAlphaFlag, 41, 24, FrameChunk(Lossless(TestPattern(40, 24))));
  EXPECT_EQ(DecodePicture(webp, {}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(WebpTest, FileWithoutAFrameIsInvalidOrCutOff) {
  const std::string none = ExtendedWebp(0, 40, 24, RiffChunk("XMP ", "text"));
  EXPECT_EQ(ReadWebpContainer(none).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadWebpContainer(none.substr(0, none.size() - 4)).status().code(), absl::StatusCode::kDataLoss);
}

TEST(WebpTest, ChunkLengthBeyondTheFileIsCutAtItsEnd) {
  std::string webp = Lossless(TestPattern(16, 8));
  webp.replace(16, 4, "\xFE\xFF\xFF\xFF");
  const auto container = ReadWebpContainer(webp);
  ASSERT_TRUE(container.ok());
  EXPECT_EQ(container->frame.size(), webp.size() - 12);
}

}  // namespace
}  // namespace waystone
