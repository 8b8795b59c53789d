// SPDX-License-Identifier: Apache-2.0
#include "http/accept.h"

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(AcceptTest, JsonIsTheAnswerUnlessAPictureIsAskedFor) {
  EXPECT_EQ(ChooseAnswerForm(""), AnswerForm::kJson);
  EXPECT_EQ(ChooseAnswerForm("*/*"), AnswerForm::kJson);
  EXPECT_EQ(ChooseAnswerForm("image/png"), AnswerForm::kPng);
  EXPECT_EQ(ChooseAnswerForm("IMAGE/WebP"), AnswerForm::kWebp);
  EXPECT_EQ(ChooseAnswerForm("image/*"), AnswerForm::kJpeg);
}

TEST(AcceptTest, TheHighestQualityWinsAndTheFirstOfEquals) {
  EXPECT_EQ(ChooseAnswerForm("application/json;q=0.5, image/jpeg"), AnswerForm::kJpeg);
  EXPECT_EQ(ChooseAnswerForm("image/jpeg, application/json"), AnswerForm::kJpeg);
  EXPECT_EQ(ChooseAnswerForm("image/jpeg ; q=0.2 , */* ; q=0.3"), AnswerForm::kJson);
  EXPECT_EQ(ChooseAnswerForm("image/avif, image/png;q=0.1"), AnswerForm::kPng);
}

TEST(AcceptTest, NothingFitsWhenTheClientRefusesAll) {
  EXPECT_EQ(ChooseAnswerForm("text/html"), std::nullopt);
  EXPECT_EQ(ChooseAnswerForm("application/json;q=0"), std::nullopt);
}

TEST(AcceptTest, ABrowserPrefersHtmlAndAProgramDoesNot) {
  EXPECT_TRUE(PrefersHtml("text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"));
  EXPECT_TRUE(PrefersHtml("TEXT/*"));
  EXPECT_TRUE(PrefersHtml("application/json;q=0.5, text/html"));
  EXPECT_FALSE(PrefersHtml(""));
  EXPECT_FALSE(PrefersHtml("*/*"));
  EXPECT_FALSE(PrefersHtml("application/json"));
  EXPECT_FALSE(PrefersHtml("application/json, text/html"));
  EXPECT_FALSE(PrefersHtml("text/html;q=0.5, application/json"));
  EXPECT_FALSE(PrefersHtml("text/html;q=0"));
}

}  // namespace
}  // namespace waystone
