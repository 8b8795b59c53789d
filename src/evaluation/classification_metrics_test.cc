// SPDX-License-Identifier: Apache-2.0
#include "evaluation/classification_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using ::testing::HasSubstr;

TEST(LabelsCsvTest, ReadsTheTwoColumnsWhereverTheyStand) {
  const auto images = ParseLabelsCsv("name,class_index,file\nshark,3,a.jpg\nfinch,12,sub/b.jpg\n");
  ASSERT_TRUE(images.ok()) << images.status();
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ((*images)[0].file, "a.jpg");
  EXPECT_EQ((*images)[0].class_id, 3);
  EXPECT_EQ((*images)[1].file, "sub/b.jpg");
}

TEST(LabelsCsvTest, FollowsTheRulesOfQuotingAndLineEnds) {
  const auto images = ParseLabelsCsv(
      "file,class_index,note\r\n\"a,\"\"b\"\".jpg\",1,\"two\r\nlines\"\r\nc.jpg,\"2\",last without end");
  ASSERT_TRUE(images.ok()) << images.status();
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ((*images)[0].file, "a,\"b\".jpg");
  EXPECT_EQ((*images)[1].file, "c.jpg");
  EXPECT_EQ((*images)[1].class_id, 2);
}

TEST(LabelsCsvTest, SaysTheLineOfAnError) {
  const auto error = [](const char* csv) { return std::string(ParseLabelsCsv(csv).status().message()); };
  EXPECT_THAT(error(""), HasSubstr("line 1: the header has no column \"file\""));
  EXPECT_THAT(error("file,class\na,1\n"), HasSubstr("no column \"class_index\""));
  EXPECT_THAT(error("file,class_index\na,1\nb\n"), HasSubstr("line 3: 1 fields; the header has 2"));
  EXPECT_THAT(error("file,class_index\n\"a\nb\",1\n"), HasSubstr("line 2: the file must be a relative path"));
  EXPECT_THAT(error("file,class_index,n\na,1,\"x\ny\"\nb,2,3,4\n"), HasSubstr("line 4: 4 fields"));
  EXPECT_THAT(error("file,class_index\na,-1\n"),
              HasSubstr("line 2: class_index must be a number 0 to 1000000"));
  EXPECT_THAT(error("file,class_index\na,1000001\n"), HasSubstr("class_index must be"));
  EXPECT_TRUE(ParseLabelsCsv("file,class_index\na,1000000\n").ok());
  EXPECT_THAT(error("file,class_index\n../a,1\n"), HasSubstr("relative path"));
  EXPECT_THAT(error("file,class_index\n\"a,1\n"), HasSubstr("line 2: a quoted field has no end"));
  EXPECT_THAT(error("file,class_index\na\"b,1\n"), HasSubstr("line 2: a quote inside a field"));
  EXPECT_THAT(error("file,class_index\n\"a\"b,1\n"), HasSubstr("text after the end of a quoted field"));
}

TEST(ClassificationMetricsTest, CountsTheFirstAndTheFirstFive) {
  const std::vector<LabelledImage> images = {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}};
  const std::vector<std::vector<ClassScore>> predictions = {
      {{1, 0.9F}, {2, 0.1F}},
      {{9, 0.5F}, {8, 0.1F}, {7, 0.1F}, {6, 0.1F}, {2, 0.1F}},
      {{9, 0.5F}, {8, 0.1F}, {7, 0.1F}, {6, 0.1F}, {5, 0.1F}, {3, 0.1F}},
      {}};
  const ClassificationMetrics metrics = EvaluateClasses(images, predictions);
  EXPECT_EQ(metrics.top1, 0.25);
  EXPECT_EQ(metrics.top5, 0.5);
  EXPECT_EQ(EvaluateClasses({}, {}).top1, 0);
}

}  // namespace
}  // namespace waystone
