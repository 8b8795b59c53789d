// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/candidates.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(CandidateListTest, LeavesOutWhatIsBelowTheFloorOrNotFinite) {
  CandidateList list(2, 0.5F);
  list.Add(0.5F, 3, 1);
  list.Add(0.49F, 2, 1);
  list.Add(kNan, 1, 1);
  list.Add(kInfinity, 0, 1);
  EXPECT_THAT(list.TakeBestFirst(1), ElementsAre(Field(&Candidate::cell, 3)));
  EXPECT_THAT(list.TakeBestFirst(1), ElementsAre());
  EXPECT_THAT(list.TakeBestFirst(0), ElementsAre());
}

TEST(CandidateListTest, OrdersEqualScoresByCell) {
  CandidateList list(1, 0);
  list.Add(0.5F, 2, 0);
  list.Add(0.5F, 1, 0);
  list.Add(0.6F, 9, 0);
  EXPECT_THAT(list.TakeBestFirst(0), ElementsAre(Field(&Candidate::cell, 9), Field(&Candidate::cell, 1),
                                                 Field(&Candidate::cell, 2)));
}

TEST(CandidateListTest, KeepsTheBestOfAClassWithMoreThanItsLimit) {
  CandidateList list(2, 0);
  const int32_t count = static_cast<int32_t>(5 * CandidateList::kMaxCandidates);
  for (int32_t i = 0; i < count; ++i) list.Add(static_cast<float>(i) / static_cast<float>(count), i, 0);
  list.Add(0, 7, 1);
  const std::vector<Candidate> best = list.TakeBestFirst(0);
  ASSERT_EQ(best.size(), CandidateList::kMaxCandidates);
  EXPECT_EQ(best.front().cell, count - 1);
  EXPECT_EQ(best.back().cell, count - static_cast<int32_t>(CandidateList::kMaxCandidates));
  EXPECT_THAT(list.TakeBestFirst(1), ElementsAre(Field(&Candidate::cell, 7)));
}

// The classes that have a candidate.
std::vector<size_t> ClassesOf(CandidateList& list) {
  std::vector<size_t> classes;
  for (size_t i = 0; i < list.classes(); ++i) {
    if (!list.TakeBestFirst(i).empty()) classes.push_back(i);
  }
  return classes;
}

TEST(CandidateListTest, FindsClassesWhereverTheyStand) {
  std::vector<float> scores(37, 0.1F);
  scores[0] = scores[15] = scores[16] = scores[36] = 0.8F;
  scores[20] = kNan;
  scores[21] = kInfinity;
  const auto same = [](float score) { return score; };
  CandidateList all(37, 0.5F);
  all.AddClasses(scores, 0.5F, 4, false, same);
  EXPECT_THAT(ClassesOf(all), ElementsAre(0, 15, 16, 36));
  scores[36] = 0.9F;
  CandidateList best(37, 0.5F);
  best.AddClasses(scores, 0.5F, 4, true, same);
  EXPECT_THAT(ClassesOf(best), ElementsAre(36));
}

TEST(AnyReachesTest, LooksAtEveryValue) {
  for (size_t size = 0; size < 70; ++size) {
    std::vector<float> values(size, 0.4F);
    EXPECT_FALSE(AnyReaches(values, 0.5F));
    for (size_t i = 0; i < size; ++i) {
      values[i] = 0.5F;
      EXPECT_TRUE(AnyReaches(values, 0.5F)) << i << " of " << size;
      values[i] = kNan;
    }
  }
}

}  // namespace
}  // namespace waystone
