// SPDX-License-Identifier: Apache-2.0
#include "types/refusal.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace waystone {
namespace {

TEST(RefusalTest, EveryReasonHasItsNameAndIsRefusedWithTheStatusClientsExpect) {
  for (const RefusalReason reason : kAllRefusalReasons) {
    EXPECT_EQ(RefusalReasonOf(Refuse(reason, "text")), Name(reason));
  }
  EXPECT_EQ(HttpStatus(Refuse(RefusalReason::kQueueFull, "").code()), 429);
  EXPECT_EQ(HttpStatus(Refuse(RefusalReason::kOverQuota, "").code()), 429);
  EXPECT_EQ(HttpStatus(Refuse(RefusalReason::kDraining, "").code()), 503);
  EXPECT_EQ(HttpStatus(Refuse(RefusalReason::kWouldMiss, "").code()), 503);
  EXPECT_EQ(HttpStatus(Refuse(RefusalReason::kSuperseded, "").code()), 409);
  EXPECT_EQ(HttpStatus(Refuse(RefusalReason::kExpired, "").code()), 504);
}

TEST(RefusalTest, SaysAfterHowLongToTryAgain) {
  const absl::Status status = RefuseUntil(RefusalReason::kWouldMiss, "text", std::chrono::milliseconds(40));
  EXPECT_EQ(RefusalReasonOf(status), "would_miss");
  EXPECT_EQ(RetryAfterOf(status), std::chrono::milliseconds(40));
  EXPECT_EQ(RetryAfterOf(Refuse(RefusalReason::kExpired, "text")), std::nullopt);
}

TEST(RefusalTest, OtherErrorsHaveNoReason) {
  EXPECT_EQ(RefusalReasonOf(absl::InvalidArgumentError("x")), "");
  EXPECT_EQ(RefusalReasonOf(absl::OkStatus()), "");
}

}  // namespace
}  // namespace waystone
