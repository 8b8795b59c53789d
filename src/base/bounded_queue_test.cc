// SPDX-License-Identifier: Apache-2.0
#include "base/bounded_queue.h"

#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(BoundedQueueTest, AcceptsUpToItsCapacityAndGivesTheNextItemBack) {
  BoundedQueue<std::unique_ptr<int>> queue(2);
  EXPECT_TRUE(queue.TryPush(std::make_unique<int>(1)).accepted);
  EXPECT_TRUE(queue.TryPush(std::make_unique<int>(2)).accepted);
  auto refused = queue.TryPush(std::make_unique<int>(3));
  EXPECT_FALSE(refused.accepted);
  EXPECT_FALSE(refused.closed);
  ASSERT_TRUE(refused.rejected.has_value());
  EXPECT_EQ(**refused.rejected, 3);
  EXPECT_EQ(**queue.Pop(), 1);
  EXPECT_TRUE(queue.TryPush(std::make_unique<int>(4)).accepted);
}

TEST(BoundedQueueTest, CloseRefusesNewItemsAndDeliversAcceptedOnes) {
  BoundedQueue<int> queue(4);
  queue.TryPush(1);
  queue.Close();
  EXPECT_TRUE(queue.TryPush(2).closed);
  EXPECT_TRUE(queue.Push(3).closed);
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), std::nullopt);
}

TEST(BoundedQueueTest, PushWaitsForRoomAndEveryItemArrivesOnce) {
  BoundedQueue<int> queue(3);
  constexpr int kPerProducer = 500;
  std::vector<std::thread> producers;
  for (int producer = 0; producer < 2; ++producer) {
    producers.emplace_back([&queue, producer] {
      for (int i = 0; i < kPerProducer; ++i) queue.Push(producer * kPerProducer + i);
    });
  }
  std::vector<int> seen(2 * kPerProducer, 0);
  for (int i = 0; i < 2 * kPerProducer; ++i) {
    ++seen[*queue.Pop()];
    EXPECT_LE(queue.size(), queue.capacity());
  }
  for (std::thread& producer : producers) producer.join();
  for (int count : seen) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace waystone
