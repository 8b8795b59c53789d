// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/png.h"

#include <array>
#include <cstring>
#include <spng.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vision/decode/test_pictures.h"

namespace waystone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

struct PngForm {
  int width = 1;
  int height = 1;
  uint8_t depth = 8;
  spng_color_type color = SPNG_COLOR_TYPE_TRUECOLOR;
  std::string samples;  // rows without filter bytes, big-endian
  spng_plte palette = {};
  spng_trns transparent = {};
  bool has_transparent = false;
};

std::string MakePng(PngForm form) {
  spng_ctx* context = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header = {};
  header.width = static_cast<uint32_t>(form.width);
  header.height = static_cast<uint32_t>(form.height);
  header.bit_depth = form.depth;
  header.color_type = static_cast<uint8_t>(form.color);
  EXPECT_EQ(spng_set_ihdr(context, &header), 0);
  if (form.palette.n_entries > 0) {
    EXPECT_EQ(spng_set_plte(context, &form.palette), 0);
  }
  if (form.has_transparent) {
    EXPECT_EQ(spng_set_trns(context, &form.transparent), 0);
  }
  EXPECT_EQ(spng_encode_image(context, form.samples.data(), form.samples.size(), SPNG_FMT_RAW,
                              SPNG_ENCODE_FINALIZE),
            0);
  size_t size = 0;
  int error = 0;
  void* bytes = spng_get_png_buffer(context, &size, &error);
  std::string png(static_cast<char*>(bytes), size);
  std::free(bytes);
  spng_ctx_free(context);
  return png;
}

// The pixels of a picture of one row.
std::vector<int> Pixels(const std::string& png, std::array<uint8_t, 3> background = {255, 255, 255}) {
  DecodeOptions options;
  options.background = background;
  const auto picture = DecodePicture(png, options);
  EXPECT_TRUE(picture.ok()) << picture.status();
  if (!picture.ok()) return {};
  return {picture->image.pixels.begin(), picture->image.pixels.end()};
}

// `png` with a chunk (its checksum is wrong: nobody may care) behind the header chunk.
std::string WithChunk(const std::string& png, const std::string& type, const std::string& content) {
  const size_t header_end = 8 + 12 + 13;
  std::string length;
  for (int shift = 24; shift >= 0; shift -= 8) length += static_cast<char>(content.size() >> shift & 0xFF);
  return png.substr(0, header_end) + length + type + content + "\0\0\0\0"s + png.substr(header_end);
}

TEST(PngTest, SixteenBitSamplesKeepTheirUpperEightBits) {
  const std::string rgb = MakePng({.depth = 16, .samples = "\x12\xFF\x80\x00\xFE\x01"s});
  EXPECT_THAT(Pixels(rgb), ElementsAre(0x12, 0x80, 0xFE));
  const std::string grey =
      MakePng({.width = 2, .depth = 16, .color = SPNG_COLOR_TYPE_GRAYSCALE, .samples = "\x12\xFF\xAB\x00"s});
  EXPECT_THAT(Pixels(grey), ElementsAre(0x12, 0x12, 0x12, 0xAB, 0xAB, 0xAB));
}

TEST(PngTest, FewBitsAreStretchedToTheWholeRange) {
  const std::string one =
      MakePng({.width = 3, .depth = 1, .color = SPNG_COLOR_TYPE_GRAYSCALE, .samples = "\xA0"s});
  EXPECT_THAT(Pixels(one), ElementsAre(255, 255, 255, 0, 0, 0, 255, 255, 255));
  const std::string two =
      MakePng({.width = 4, .depth = 2, .color = SPNG_COLOR_TYPE_GRAYSCALE, .samples = "\x1B"s});
  EXPECT_THAT(Pixels(two), ElementsAre(0, 0, 0, 85, 85, 85, 170, 170, 170, 255, 255, 255));
}

TEST(PngTest, AlphaIsComposedOverTheBackground) {
  const std::string rgba = MakePng({.width = 3,
                                    .color = SPNG_COLOR_TYPE_TRUECOLOR_ALPHA,
                                    .samples = "\xC8\x64\x32\xFF\xC8\x64\x32\x00\xC8\x64\x32\x80"s});
  EXPECT_THAT(Pixels(rgba, {10, 20, 30}), ElementsAre(200, 100, 50, 10, 20, 30, 105, 60, 40));
  const std::string grey_alpha =
      MakePng({.width = 2, .color = SPNG_COLOR_TYPE_GRAYSCALE_ALPHA, .samples = "\xC8\x00\xC8\xFF"s});
  EXPECT_THAT(Pixels(grey_alpha), ElementsAre(255, 255, 255, 200, 200, 200));
}

TEST(PngTest, PaletteWithTransparencyIsComposed) {
  PngForm form = {.width = 2, .color = SPNG_COLOR_TYPE_INDEXED, .samples = "\x00\x01"s};
  form.palette.n_entries = 2;
  form.palette.entries[0] = {200, 100, 50, 255};
  form.palette.entries[1] = {1, 2, 3, 255};
  form.has_transparent = true;
  form.transparent.n_type3_entries = 1;
  form.transparent.type3_alpha[0] = 0;
  EXPECT_THAT(Pixels(MakePng(form), {7, 8, 9}), ElementsAre(7, 8, 9, 1, 2, 3));
}

TEST(PngTest, TransparentColorShowsTheBackground) {
  PngForm form = {.width = 2, .samples = "\x01\x02\x03\x04\x05\x06"s};
  form.has_transparent = true;
  form.transparent.red = 1;
  form.transparent.green = 2;
  form.transparent.blue = 3;
  EXPECT_THAT(Pixels(MakePng(form)), ElementsAre(255, 255, 255, 4, 5, 6));
}

TEST(PngTest, MetadataNeitherBreaksNorUnpacks) {
  const std::string png = Encoded(TestPattern(20, 10), EncodedFormat::kPng);
  for (const char* type : {"iCCP", "zTXt", "iTXt", "gAMA", "juNk"}) {
    const auto picture = DecodePicture(WithChunk(png, type, std::string(1000, 'x')), {});
    ASSERT_TRUE(picture.ok()) << type << ": " << picture.status();
    EXPECT_EQ(LargestDifference(picture->image, TestPattern(20, 10)), 0);
  }
}

TEST(PngTest, UnknownCriticalChunkIsAnError) {
  const std::string png = WithChunk(Encoded(TestPattern(20, 10), EncodedFormat::kPng), "JUNK", "content");
  EXPECT_EQ(DecodePicture(png, {}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(PngTest, ChunkLongerThanTheFileIsDataLoss) {
  std::string png = WithChunk(Encoded(TestPattern(20, 10), EncodedFormat::kPng), "tEXt", "content");
  png.replace(33, 4, "\x7F\xFF\xFF\xFF"s);
  EXPECT_EQ(DecodePicture(png, {}).status().code(), absl::StatusCode::kDataLoss);
}

TEST(PngTest, ExifOrientationTurnsThePicture) {
  const Image original = TestPattern(40, 24);
  const std::string png = Encoded(original, EncodedFormat::kPng);
  const auto turned = DecodePicture(WithChunk(png, "eXIf", OrientationTiff(6)), {});
  ASSERT_TRUE(turned.ok()) << turned.status();
  EXPECT_EQ(turned->info.width, 24);
  EXPECT_EQ(turned->image.width, 24);
  EXPECT_EQ(turned->image.height, 40);
  EXPECT_EQ(std::memcmp(turned->image.row(0) + 3 * 23, original.row(0), 3), 0);
  EXPECT_EQ(std::memcmp(turned->image.row(39), original.row(23) + 3 * 39, 3), 0);
}

TEST(PngTest, WrongChecksumOfPixelDataIsAnError) {
  std::string png = Encoded(TestPattern(20, 10), EncodedFormat::kPng);
  const size_t end_chunk = png.rfind("IEND");
  png[end_chunk - 5] = static_cast<char>(png[end_chunk - 5] ^ 1);
  const auto picture = DecodePicture(png, {});
  EXPECT_EQ(picture.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(picture.status().message()), HasSubstr("checksum"));
}

TEST(PngTest, HeaderOfFourHundredMegapixelsIsRefused) {
  std::string png = Encoded(TestPattern(20, 10), EncodedFormat::kPng);
  png.replace(16, 8, "\0\0\x4E\x20\0\0\x4E\x20"s);
  const auto picture = DecodePicture(png, {});
  EXPECT_EQ(picture.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(picture.status().message()), HasSubstr("20000 x 20000 = 400000000 pixels"));
  EXPECT_EQ(ReadPictureInfo(png, PictureLimits()).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(PngTest, HeaderThatClaimsMoreThanTheDataCouldUnpackToIsDataLoss) {
  // A right checksum, so that the claim itself is what is judged.
  const std::string png = MakePng({.width = 4000,
                                   .height = 4000,
                                   .color = SPNG_COLOR_TYPE_GRAYSCALE,
                                   .samples = std::string(16000000, 'a')});
  EXPECT_TRUE(DecodePicture(png, {}).ok());
  const auto picture = DecodePicture(png.substr(0, 2000), {});
  EXPECT_EQ(picture.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(picture.status().message()), HasSubstr("cannot hold 4000 x 4000"));
}

}  // namespace
}  // namespace waystone
