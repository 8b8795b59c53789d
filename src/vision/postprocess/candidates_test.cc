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
  CandidateList list(0.5F);
  list.Add(0.5F, 3, 1);
  list.Add(0.49F, 2, 1);
  list.Add(kNan, 1, 1);
  list.Add(kInfinity, 0, 1);
  EXPECT_THAT(list.TakeBestFirst(), ElementsAre(Field(&Candidate::cell, 3)));
}

TEST(CandidateListTest, OrdersEqualScoresByCellThenClass) {
  CandidateList list(0);
  list.Add(0.5F, 2, 0);
  list.Add(0.5F, 1, 4);
  list.Add(0.5F, 1, 3);
  list.Add(0.6F, 9, 9);
  const std::vector<Candidate> order = list.TakeBestFirst();
  EXPECT_THAT(order, ElementsAre(Field(&Candidate::class_id, 9), Field(&Candidate::class_id, 3),
                                 Field(&Candidate::class_id, 4), Field(&Candidate::class_id, 0)));
}

TEST(CandidateListTest, KeepsTheBestOfMoreThanItsLimit) {
  CandidateList list(0);
  const int32_t count = static_cast<int32_t>(5 * CandidateList::kMaxCandidates);
  for (int32_t i = 0; i < count; ++i) list.Add(static_cast<float>(i) / static_cast<float>(count), i, 0);
  EXPECT_GT(list.floor(), 0.0F);
  const std::vector<Candidate> best = list.TakeBestFirst();
  ASSERT_EQ(best.size(), CandidateList::kMaxCandidates);
  EXPECT_EQ(best.front().cell, count - 1);
  EXPECT_EQ(best.back().cell, count - static_cast<int32_t>(CandidateList::kMaxCandidates));
}

TEST(CandidateListTest, FindsClassesInWholeBlocksAndInTheRest) {
  std::vector<float> scores(37, 0.1F);
  scores[0] = scores[15] = scores[16] = scores[36] = 0.8F;
  scores[20] = kNan;
  scores[21] = kInfinity;
  const auto same = [](float score) { return score; };
  CandidateList all(0.5F);
  all.AddClasses(scores, 0.5F, 4, false, same);
  EXPECT_THAT(all.TakeBestFirst(),
              ElementsAre(Field(&Candidate::class_id, 0), Field(&Candidate::class_id, 15),
                          Field(&Candidate::class_id, 16), Field(&Candidate::class_id, 36)));
  scores[36] = 0.9F;
  CandidateList best(0.5F);
  best.AddClasses(scores, 0.5F, 4, true, same);
  EXPECT_THAT(best.TakeBestFirst(), ElementsAre(Field(&Candidate::class_id, 36)));
}

}  // namespace
}  // namespace waystone
