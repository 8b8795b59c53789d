// SPDX-License-Identifier: Apache-2.0
#include "http/json_tensor.h"

#include <string>

#include <gtest/gtest.h>

namespace waystone {
namespace {

absl::Status Append(const std::string& bytes, std::string& json) {
  return AppendJsonTensor("X", std::as_bytes(std::span(bytes.data(), bytes.size())), std::nullopt, json);
}

TEST(JsonTensorTest, WritesTextsEscaped) {
  std::string json;
  ASSERT_TRUE(Append(std::string("\x03\0\0\0a\"b\0\0\0\0", 11), json).ok());
  EXPECT_EQ(json, R"(["a\"b",""])");
}

TEST(JsonTensorTest, NeverReadsTextsBeyondTheirEnd) {
  for (const std::string& bytes :
       {std::string("\x04\0\0\0abc", 7), std::string("\xff\xff\xff\xff", 4), std::string("\x01\0\0\0", 4),
        std::string("\0\0\0", 3), std::string("\x01\0\0\0a\x01", 6)}) {
    std::string json;
    EXPECT_EQ(Append(bytes, json).code(), absl::StatusCode::kInternal) << bytes.size();
  }
}

}  // namespace
}  // namespace waystone
