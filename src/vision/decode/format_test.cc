// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using namespace std::string_view_literals;
using testing::HasSubstr;

TEST(FormatTest, TellsTheThreeFormatsByTheirFirstBytes) {
  EXPECT_EQ(*DetectFormat("\xFF\xD8\xFF\xE0"sv), PictureFormat::kJpeg);
  EXPECT_EQ(*DetectFormat("\x89PNG\r\n\x1A\n"sv), PictureFormat::kPng);
  EXPECT_EQ(*DetectFormat("RIFF\x10\0\0\0WEBP"sv), PictureFormat::kWebp);
}

TEST(FormatTest, NamesTheFormatsItDoesNotRead) {
  const std::pair<std::string_view, std::string> cases[] = {
      {"GIF89a\1\0\1\0"sv, "GIF"},
      {"BM\x36\0\0\0"sv, "BMP"},
      {"II*\0\x08\0\0\0"sv, "TIFF"},
      {"\0\0\0\x0CjP  \r\n\x87\n"sv, "JPEG 2000"},
      {"\0\0\0\x1C"
       "ftypavif\0\0\0\0"sv,
       "AVIF"},
      {"\0\0\0\x1C"
       "ftypheic\0\0\0\0"sv,
       "HEIF"},
      {"%PDF-1.7"sv, "PDF"},
      {"<svg xmlns"sv, "SVG"},
  };
  for (const auto& [bytes, name] : cases) {
    const auto format = DetectFormat(bytes);
    EXPECT_EQ(format.status().code(), absl::StatusCode::kUnimplemented) << name;
    EXPECT_THAT(std::string(format.status().message()),
                HasSubstr(name + " is not a format Waystone reads (JPEG, PNG, WebP are)"));
  }
}

TEST(FormatTest, EmptyAndUnknownInputAreInvalid) {
  const auto empty = DetectFormat("");
  EXPECT_EQ(empty.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(empty.status().message()), HasSubstr("empty"));
  for (const std::string_view bytes : {"hello"sv, "\xFF"sv, "RIFF\x10\0\0\0WAVE"sv, "\x89PNG"sv, "\0"sv}) {
    EXPECT_EQ(DetectFormat(bytes).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace waystone
