// SPDX-License-Identifier: Apache-2.0
#include "serving/refusal.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace waystone {
namespace {

TEST(RefusalTest, EveryReasonHasItsNameAndIsRefusedWithTheStatusClientsExpect) {
  for (const RefusalReason reason : kAllRefusalReasons) {
    EXPECT_EQ(RefusalReasonOf(Refuse(reason, "text")), Name(reason));
  }
  EXPECT_EQ(HttpStatus(Refuse(RefusalReason::kQueueFull, "").code()), 429);
  EXPECT_EQ(HttpStatus(Refuse(RefusalReason::kDraining, "").code()), 503);
  EXPECT_EQ(HttpStatus(Refuse(RefusalReason::kExpired, "").code()), 504);
}

TEST(RefusalTest, OtherErrorsHaveNoReason) {
  EXPECT_EQ(RefusalReasonOf(absl::InvalidArgumentError("x")), "");
  EXPECT_EQ(RefusalReasonOf(absl::OkStatus()), "");
}

}  // namespace
}  // namespace waystone
