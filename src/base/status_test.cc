// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <memory>
#include <utility>

#include <gtest/gtest.h>

namespace waystone {
namespace {

absl::StatusOr<std::unique_ptr<int>> Half(int value) {
  if (value % 2 != 0) return absl::InvalidArgumentError("odd");
  return std::make_unique<int>(value / 2);
}

absl::StatusOr<int> Quarter(int value) {
  WAYSTONE_ASSIGN_OR_RETURN(std::unique_ptr<int> half, Half(value));
  WAYSTONE_ASSIGN_OR_RETURN(std::unique_ptr<int> quarter, Half(*half));
  return *quarter;
}

absl::Status Even(int value) {
  WAYSTONE_RETURN_IF_ERROR(Half(value).status());
  return absl::OkStatus();
}

TEST(StatusTest, MacrosPassValuesOnAndErrorsUp) {
  EXPECT_EQ(Quarter(12).value(), 3);
  EXPECT_EQ(Quarter(6).status(), absl::InvalidArgumentError("odd"));
  EXPECT_TRUE(Even(2).ok());
  EXPECT_EQ(Even(1), absl::InvalidArgumentError("odd"));
}

TEST(StatusTest, EveryCodeHasAnHttpStatusAndAnExitCodeOfItsKind) {
  EXPECT_EQ(HttpStatus(absl::StatusCode::kOk), 200);
  EXPECT_EQ(ExitCode(absl::StatusCode::kOk), 0);
  for (int code = 1; code <= 16; ++code) {
    EXPECT_GE(HttpStatus(static_cast<absl::StatusCode>(code)), 400) << code;
    EXPECT_GT(ExitCode(static_cast<absl::StatusCode>(code)), 63) << code;
  }
  EXPECT_EQ(HttpStatus(absl::StatusCode::kOutOfRange), 413);
  EXPECT_EQ(HttpStatus(absl::StatusCode::kResourceExhausted), 429);
  EXPECT_EQ(HttpStatus(absl::StatusCode::kDeadlineExceeded), 504);
  EXPECT_EQ(ExitCode(absl::StatusCode::kNotFound), 66);
}

TEST(StatusTest, AnnotateKeepsTheCodeAndSaysWhatWasAttempted) {
  EXPECT_EQ(Annotate(absl::NotFoundError("gone"), "reading a.jpg"),
            absl::NotFoundError("reading a.jpg: gone"));
  EXPECT_TRUE(Annotate(absl::OkStatus(), "reading").ok());
}

}  // namespace
}  // namespace waystone
