// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(LogTest, ControlCharactersCannotForgeALine) {
  EXPECT_EQ(LogSafe("a\nb\x1b[31m"), "a\\x0ab\\x1b[31m");
  EXPECT_EQ(LogSafe("zürich 7"), "zürich 7");
}

TEST(LogTest, LevelsFilterAndUnknownOnesAreNamed) {
  testing::internal::CaptureStderr();
  ASSERT_TRUE(SetLogLevel("warning").ok());
  LogInfo("quiet");
  LogWarning("loud");
  ASSERT_TRUE(SetLogLevel("info").ok());
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_EQ(printed.find("quiet"), std::string::npos);
  EXPECT_NE(printed.find("warning loud\n"), std::string::npos);
  EXPECT_EQ(SetLogLevel("chatty").code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace waystone
