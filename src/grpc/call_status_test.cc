// SPDX-License-Identifier: Apache-2.0
#include "grpc/call_status.h"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(CallStatusTest, CodesAreTheSameNumbers) {
  for (int code = 1; code <= 16; ++code) {
    const grpc::Status status = ToGrpcStatus(absl::Status(static_cast<absl::StatusCode>(code), "text"));
    EXPECT_EQ(static_cast<int>(status.error_code()), code);
    EXPECT_EQ(status.error_message(), "text");
  }
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
  EXPECT_EQ(ToGrpcStatus(absl::Status(static_cast<absl::StatusCode>(77), "x")).error_code(),
            grpc::StatusCode::UNKNOWN);
}

TEST(CallStatusTest, TextBecomesReadableUtf8) {
  EXPECT_EQ(WireText("plain"), "plain");
  EXPECT_EQ(WireText("l\nine\x7f"), "l?ine?");
  EXPECT_EQ(WireText("h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"), "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(WireText("a\xff"), "a?");
  EXPECT_EQ(WireText("\xc0\xaf"), "??");            // overlong
  EXPECT_EQ(WireText("\xe0\x80\x80"), "???");       // overlong
  EXPECT_EQ(WireText("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(WireText("\xf4\x90\x80\x80"), "????");  // beyond U+10FFFF
  EXPECT_EQ(WireText("\xe2\x82"), "??");            // cut short
}

TEST(CallStatusTest, TextIsClippedBetweenCharacters) {
  EXPECT_EQ(WireText(std::string(kMaxErrorBytes - 3, 'x')), std::string(kMaxErrorBytes - 3, 'x'));
  EXPECT_EQ(WireText(std::string(kMaxErrorBytes * 2, 'x')), std::string(kMaxErrorBytes - 3, 'x') + "...");
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "\xe2\x82\xac";
  const std::string clipped = WireText(wide);
  EXPECT_LE(clipped.size(), kMaxErrorBytes);
  EXPECT_EQ(clipped.substr(clipped.size() - 6), "\xe2\x82\xac...");
  EXPECT_LE(WireName(wide).size(), 80u);
}

TEST(CallStatusTest, AMessageIsNeverEmpty) { EXPECT_EQ(WireMessage(absl::NotFoundError("")), "NOT_FOUND"); }

TEST(CallStatusTest, ExceptionsBecomeErrors) {
  EXPECT_TRUE(WithoutExceptions([] { return absl::OkStatus(); }).ok());
  EXPECT_EQ(WithoutExceptions([]() -> absl::Status { throw std::bad_alloc(); }).code(),
            absl::StatusCode::kResourceExhausted);
  const absl::Status thrown = WithoutExceptions([]() -> absl::Status { throw std::logic_error("why"); });
  EXPECT_EQ(thrown.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(thrown.message(), "the call failed: why");
}

}  // namespace
}  // namespace waystone
