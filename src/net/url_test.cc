// SPDX-License-Identifier: Apache-2.0
#include "net/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/utf8.h"

namespace waystone {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(UrlTest, DecodesPathAndQueryOnce) {
  const absl::StatusOr<RequestTarget> target = ParseRequestTarget(
      "GET", "/v2/models/caf%C3%A9/a+b?threshold=0.5&name=a%20b+c&flag&threshold=0.7&%26=%3D");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->path, "/v2/models/caf\xC3\xA9/a+b");
  EXPECT_THAT(target->query, UnorderedElementsAre(Pair("threshold", "0.7"), Pair("name", "a b c"),
                                                  Pair("flag", ""), Pair("&", "=")));
}

TEST(UrlTest, TakesTheAbsoluteFormAndTheAsterisk) {
  EXPECT_EQ(ParseRequestTarget("GET", "http://host:80/a?b=c")->path, "/a");
  EXPECT_EQ(ParseRequestTarget("GET", "http://host:80/a?b=c")->query.at("b"), "c");
  EXPECT_EQ(ParseRequestTarget("GET", "HTTPS://host")->path, "/");
  EXPECT_EQ(ParseRequestTarget("GET", "http://host?x=1")->query.at("x"), "1");
  EXPECT_EQ(ParseRequestTarget("OPTIONS", "*")->path, "/");
}

TEST(UrlTest, RefusesWhatIsNoPath) {
  for (const char* target :
       {"", "*", "a/b", "host:443", "http://", "http:///a", "ftp://host/a", "/a#b", "?a=b"}) {
    EXPECT_FALSE(ParseRequestTarget("GET", target).ok()) << target;
  }
}

TEST(UrlTest, H09RefusesDotSegmentsInEverySpelling) {
  for (const char* target : {"/..", "/a/../b", "/a/..", "/./a", "/%2e%2e/a", "/a/%2E%2e", "/.%2e/",
                             "/..%2e%2f", "/a%2f..%2fb", "http://host/../a", "http://host/%2e%2e"}) {
    EXPECT_FALSE(ParseRequestTarget("GET", target).ok()) << target;
  }
  EXPECT_EQ(ParseRequestTarget("GET", "/a..b/...")->path, "/a..b/...");
  // Decoded once: what was escaped twice stays text.
  EXPECT_EQ(ParseRequestTarget("GET", "/%252e%252e/a")->path, "/%2e%2e/a");
}

TEST(UrlTest, RefusesBadEscapesControlsAndTextThatIsNotUtf8) {
  for (const char* target : {"/%", "/%1", "/%zz", "/%-1", "/a?b=%", "/a?%g0=1", "/%00", "/%0d%0a", "/%7f",
                             "/a?b=%00", "/a?%0a=b", "/%ff", "/a?b=%c3", "/\xC0\x80", "/%ed%a0%80"}) {
    const absl::StatusOr<RequestTarget> parsed = ParseRequestTarget("GET", target);
    ASSERT_FALSE(parsed.ok()) << target;
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr("request target"));
  }
}

TEST(Utf8Test, KnowsTheBoundsOfEachForm) {
  for (const char* valid : {"", "plain", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
                            "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(IsValidUtf8(valid)) << valid;
  }
  for (const char* invalid : {"\x80", "\xC1\xBF", "\xC2", "\xC2x", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE1\x80",
                              "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_FALSE(IsValidUtf8(invalid)) << invalid;
  }
}

}  // namespace
}  // namespace waystone
