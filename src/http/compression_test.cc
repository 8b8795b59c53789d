// SPDX-License-Identifier: Apache-2.0
#include "http/compression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using testing::HasSubstr;

TEST(CompressionTest, GivesBackWhatWentIn) {
  const std::string text = std::string(100'000, 'a') + "end";
  for (const ContentCoding coding :
       {ContentCoding::kGzip, ContentCoding::kDeflate, ContentCoding::kIdentity}) {
    const std::string packed = coding == ContentCoding::kIdentity ? text : Deflate(text, coding);
    const auto back = Inflate(packed, coding, text.size());
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, text);
  }
  EXPECT_EQ(Inflate(Deflate("", ContentCoding::kGzip), ContentCoding::kGzip, 0).value(), "");
}

TEST(CompressionTest, H06StopsAtTheLimitWhateverIsBehindIt) {
  const std::string bomb = Deflate(std::string(10 << 20, ' '), ContentCoding::kGzip);
  EXPECT_LT(bomb.size(), 100'000u);
  const absl::Status status = Inflate(bomb, ContentCoding::kGzip, 1000).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the limit of 1000 bytes"));
  const std::string small = Deflate(std::string(1000, ' '), ContentCoding::kGzip);
  EXPECT_TRUE(Inflate(small, ContentCoding::kGzip, 1000).ok());
  EXPECT_FALSE(Inflate(small, ContentCoding::kGzip, 999).ok());
}

TEST(CompressionTest, RefusesWhatIsBrokenShortOrLong) {
  const std::string packed = Deflate("some text that is packed", ContentCoding::kGzip);
  for (size_t size = 0; size < packed.size(); ++size) {
    EXPECT_EQ(Inflate(packed.substr(0, size), ContentCoding::kGzip, 1000).status().code(),
              absl::StatusCode::kInvalidArgument)
        << size;
  }
  EXPECT_FALSE(Inflate(packed + "x", ContentCoding::kGzip, 1000).ok());
  EXPECT_FALSE(Inflate(packed, ContentCoding::kDeflate, 1000).ok());
  EXPECT_FALSE(Inflate("plain text", ContentCoding::kGzip, 1000).ok());
}

TEST(CompressionTest, ChoosesWhatTheClientWeighsMost) {
  const auto chosen = [](absl::string_view header) { return std::string(Name(ChooseCoding(header))); };
  EXPECT_EQ(chosen(""), "identity");
  EXPECT_EQ(chosen("gzip"), "gzip");
  EXPECT_EQ(chosen("deflate, gzip"), "gzip");
  EXPECT_EQ(chosen("gzip;q=0.5, deflate;q=0.8"), "deflate");
  EXPECT_EQ(chosen("gzip;q=0"), "identity");
  EXPECT_EQ(chosen("br, zstd"), "identity");
  EXPECT_EQ(chosen("identity, gzip;q=0.5"), "identity");
  EXPECT_EQ(chosen("gzip;q=2"), "identity");
  EXPECT_EQ(chosen("gzip;level=9"), "identity");
  EXPECT_EQ(chosen("GZIP ; q=1"), "gzip");
}

TEST(CompressionTest, KnowsTheNamesOfItsCodings) {
  EXPECT_EQ(ContentCodingFromName(""), ContentCoding::kIdentity);
  EXPECT_EQ(ContentCodingFromName("x-gzip"), ContentCoding::kGzip);
  EXPECT_EQ(ContentCodingFromName(" Deflate "), ContentCoding::kDeflate);
  EXPECT_EQ(ContentCodingFromName("br"), std::nullopt);
}

}  // namespace
}  // namespace waystone
