// SPDX-License-Identifier: Apache-2.0
#include "scheduler/batch_policy.h"

#include <gtest/gtest.h>

namespace waystone {
namespace {

using std::chrono::milliseconds;

// Takes a line of milliseconds: a for a row, b for a run.
BatchChoice Choice(int64_t waiting, int a, int b) {
  BatchChoice choice;
  choice.waiting_rows = waiting;
  choice.cost = [a, b](int64_t rows) { return milliseconds(a * rows + b); };
  return choice;
}

TEST(BatchPolicyTest, RunsAtTheLeastAllowedSizeThatHoldsTheRows) {
  const BatchSizes sizes = {8, {1, 2, 8}, {}};
  EXPECT_EQ(RunRows(sizes, 1), 1);
  EXPECT_EQ(RunRows(sizes, 2), 2);
  EXPECT_EQ(RunRows(sizes, 3), 8);
  EXPECT_EQ(RunRows(sizes, 8), 8);
  EXPECT_EQ(RunRows(sizes, 9), 0);
  EXPECT_EQ(RunRows({4, {}, {}}, 3), 3);
  EXPECT_EQ(RunRows({4, {}, {}}, 5), 0);
}

TEST(BatchPolicyTest, TakesAllThatWaitsUpToTheLimitWhereBatchesPay) {
  EXPECT_EQ(ChooseRows({8, {}, {}}, Choice(5, 1, 9)), 5);
  EXPECT_EQ(ChooseRows({8, {}, {}}, Choice(8, 1, 9)), 8);
  EXPECT_EQ(ChooseRows({8, {}, {}}, Choice(9, 1, 9)), 8);
}

TEST(BatchPolicyTest, TakesTheHeadAloneWhereBatchesDoNotPay) {
  EXPECT_EQ(ChooseRows({8, {}, {}}, Choice(8, 5, 0)), 1);
}

TEST(BatchPolicyTest, TakesTheHeadAloneWhereNothingIsKnownOfTheCost) {
  EXPECT_EQ(ChooseRows({8, {}, {}}, Choice(8, 0, 0)), 1);
}

TEST(BatchPolicyTest, NeverTakesLessThanTheHead) {
  BatchChoice choice = Choice(4, 1, 9);
  choice.head_rows = 4;
  choice.idle_instances = 4;
  EXPECT_EQ(ChooseRows({4, {}, {}}, choice), 4);
}

TEST(BatchPolicyTest, LeavesIdleInstancesTheirPart) {
  BatchChoice choice = Choice(6, 1, 9);
  choice.idle_instances = 4;
  EXPECT_EQ(ChooseRows({8, {}, {}}, choice), 2);
}

TEST(BatchPolicyTest, StopsBeforeTheEarliestDeadlineAtItsEdge) {
  BatchChoice choice = Choice(8, 1, 9);
  choice.left = milliseconds(12);
  EXPECT_EQ(ChooseRows({8, {}, {}}, choice), 3);
  choice.left = milliseconds(12) - Duration(1);
  EXPECT_EQ(ChooseRows({8, {}, {}}, choice), 2);
}

TEST(BatchPolicyTest, PadsOnlyWhereThatIsFaster) {
  // Three rows cost as much as eight: faster than one by one when a run is dear, slower when rows are.
  EXPECT_EQ(ChooseRows({8, {1, 8}, {}}, Choice(3, 1, 30)), 3);
  EXPECT_EQ(ChooseRows({8, {1, 8}, {}}, Choice(3, 10, 1)), 1);
}

TEST(BatchPolicyTest, PrefersPreferredSizesWhereThereAreRowsForOne) {
  const BatchSizes sizes = {8, {}, {3, 6}};
  EXPECT_EQ(ChooseRows(sizes, Choice(8, 1, 9)), 6);
  EXPECT_EQ(ChooseRows(sizes, Choice(5, 1, 9)), 3);
  EXPECT_EQ(ChooseRows(sizes, Choice(2, 1, 9)), 2);
}

}  // namespace
}  // namespace waystone
