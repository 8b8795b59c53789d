// SPDX-License-Identifier: Apache-2.0
#include "pipeline/nearest_match.h"

#include <gtest/gtest.h>

namespace waystone {
namespace {

FeatureSet Features(std::vector<float> descriptors, int size) {
  FeatureSet features;
  features.descriptor_size = size;
  features.points.resize(descriptors.size() / static_cast<size_t>(size));
  features.descriptors = std::move(descriptors);
  return features;
}

TEST(MatchNearestTest, PairsThoseThatAreEachOthersNearest) {
  const FeatureSet a = Features({1, 0, 0, 1, 0.6F, 0.8F}, 2);
  const FeatureSet b = Features({0, 1, 1, 0}, 2);
  const std::vector<FeatureMatch> matches = MatchNearest(a, b, 0.5F);
  ASSERT_EQ(matches.size(), 2u) << "the third of a is nearest to the first of b, which has a nearer one";
  EXPECT_EQ(matches[0].a, 0);
  EXPECT_EQ(matches[0].b, 1);
  EXPECT_EQ(matches[1].a, 1);
  EXPECT_EQ(matches[1].b, 0);
  EXPECT_EQ(matches[1].score, 1);
}

TEST(MatchNearestTest, LeavesOutPairsThatAreNotAlike) {
  const FeatureSet a = Features({1, 0}, 2);
  const FeatureSet b = Features({0.6F, 0.8F}, 2);
  EXPECT_EQ(MatchNearest(a, b, 0.6F).size(), 1u);
  EXPECT_TRUE(MatchNearest(a, b, 0.61F).empty());
}

TEST(MatchNearestTest, IsEmptyWhereThereIsNothingToCompare) {
  const FeatureSet a = Features({1, 0}, 2);
  EXPECT_TRUE(MatchNearest(a, Features({}, 2), -1).empty());
  EXPECT_TRUE(MatchNearest(Features({}, 2), a, -1).empty());
  EXPECT_TRUE(MatchNearest(a, Features({1, 0, 0}, 3), -1).empty());
  FeatureSet broken = a;
  broken.descriptors.pop_back();
  EXPECT_TRUE(MatchNearest(a, broken, -1).empty());
}

}  // namespace
}  // namespace waystone
