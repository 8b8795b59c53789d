// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cost_model.h"

#include <gtest/gtest.h>

namespace waystone {
namespace {

using std::chrono::milliseconds;

TEST(CostModelTest, KnowsNothingBeforeTheFirstSample) {
  const CostModel cost;
  EXPECT_FALSE(cost.known());
  EXPECT_EQ(cost.Mean(4), Duration::zero());
  EXPECT_EQ(cost.Usual(4), Duration::zero());
}

TEST(CostModelTest, TakesOneSizeAsProportionalUntilThereIsAnother) {
  CostModel cost;
  cost.Observe(2, milliseconds(10));
  EXPECT_EQ(cost.Mean(2), milliseconds(10));
  EXPECT_EQ(cost.Mean(6), milliseconds(30));
}

TEST(CostModelTest, PutsALineThroughTheSizesItHasSeen) {
  CostModel cost;
  for (int i = 0; i < 20; ++i) {
    cost.Observe(1, milliseconds(5));
    cost.Observe(8, milliseconds(19));
  }
  EXPECT_EQ(cost.Mean(1), milliseconds(5));
  EXPECT_EQ(cost.Mean(8), milliseconds(19));
  EXPECT_NEAR(static_cast<double>(cost.Mean(4).count()), 11e6, 1e3);  // 2 a row and 3
  EXPECT_NEAR(cost.line().a_ns, 2e6, 1e3);
  EXPECT_NEAR(cost.line().b_ns, 3e6, 1e3);
}

TEST(CostModelTest, NeverPredictsThatMoreRowsTakeLess) {
  CostModel cost;
  cost.Observe(1, milliseconds(9));
  cost.Observe(4, milliseconds(5));
  EXPECT_GE(cost.Mean(16), cost.Mean(8));
  EXPECT_GE(cost.line().b_ns, 0);
}

TEST(CostModelTest, OneStrangeSampleMovesItLittle) {
  CostModel cost;
  for (int i = 0; i < 50; ++i) cost.Observe(1, milliseconds(10));
  cost.Observe(1, milliseconds(1000));
  EXPECT_LT(cost.Mean(1), milliseconds(11));
}

TEST(CostModelTest, FollowsAModelThatChangesItsSpeed) {
  CostModel cost;
  for (int i = 0; i < 50; ++i) cost.Observe(1, milliseconds(10));
  for (int i = 0; i < 60; ++i) cost.Observe(1, milliseconds(20));
  EXPECT_GT(cost.Mean(1), milliseconds(19));
  for (int i = 0; i < 120; ++i) cost.Observe(1, milliseconds(10));
  EXPECT_LT(cost.Mean(1), milliseconds(11));
}

TEST(CostModelTest, InDoubtTheNextSampleIsBelieved) {
  CostModel cost;
  for (int i = 0; i < 50; ++i) {
    cost.Observe(1, milliseconds(40));
    cost.Observe(4, milliseconds(100));
  }
  cost.Doubt();
  EXPECT_EQ(cost.Mean(1), milliseconds(40));
  EXPECT_NEAR(static_cast<double>(cost.line().a_ns), 20e6, 1e3);
  cost.Observe(1, milliseconds(10));
  EXPECT_EQ(cost.Mean(1), milliseconds(10));
  EXPECT_EQ(cost.Mean(4), milliseconds(100));
}

TEST(CostModelTest, TheUsualTimeLiesAboveTheMeanByTheDeviation) {
  CostModel cost;
  for (int i = 0; i < 200; ++i) cost.Observe(1, milliseconds(i % 2 == 0 ? 8 : 12));
  EXPECT_NEAR(static_cast<double>((cost.Usual(1) - cost.Mean(1)).count()), 2e6, 3e5);
}

}  // namespace
}  // namespace waystone
