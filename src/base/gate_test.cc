// SPDX-License-Identifier: Apache-2.0
#include "base/gate.h"

#include <thread>

#include <gtest/gtest.h>

namespace waystone {
namespace {

using std::chrono::seconds;

TEST(GateTest, RefusesNewWorkOnceClosedAndAwaitsTheOld) {
  Gate gate;
  std::optional<Gate::Pass> pass = gate.Enter();
  ASSERT_TRUE(pass.has_value());
  EXPECT_EQ(gate.inside(), 1u);
  gate.Close();
  EXPECT_FALSE(gate.Enter().has_value());
  EXPECT_FALSE(gate.AwaitEmpty(Duration(1)));
  std::thread worker([&pass] { pass.reset(); });
  EXPECT_TRUE(gate.AwaitEmpty(seconds(30)));
  worker.join();
  EXPECT_EQ(gate.inside(), 0u);
}

TEST(GateTest, AMovedPassLeavesOnce) {
  Gate gate;
  {
    std::optional<Gate::Pass> first = gate.Enter();
    Gate::Pass second = std::move(*first);
    EXPECT_EQ(gate.inside(), 1u);
  }
  EXPECT_EQ(gate.inside(), 0u);
}

}  // namespace
}  // namespace waystone
