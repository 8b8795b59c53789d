// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plain_text.h"

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(PlainTextTest, AcceptsUtf8OfEveryLength) {
  for (const char* text :
       {"", "plain text", "\xC3\xBC", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(IsPlainText(text)) << text;
  }
}

TEST(PlainTextTest, RefusesControlCharacters) {
  for (const char* text : {"a\nb", "\t", "\x1B[2J", "\x7F", "\xC2\x85"})
    EXPECT_FALSE(IsPlainText(text)) << text;
  EXPECT_FALSE(IsPlainText(std::string_view("\0", 1)));
}

TEST(PlainTextTest, RefusesWhatIsNotUtf8) {
  for (const char* text : {"\x80", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                           "\xF8\x88\x80\x80\x80", "\xC3(", "\xE2\x82", "\xFF"}) {
    EXPECT_FALSE(IsPlainText(text)) << text;
  }
}

}  // namespace
}  // namespace waystone
