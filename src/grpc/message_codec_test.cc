// SPDX-License-Identifier: Apache-2.0
#include "grpc/message_codec.h"

#include <string>

#include <gmock/gmock.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include "proto/grpc_service.pb.h"

namespace waystone {
namespace {

using inference::ModelInferRequest;
using testing::HasSubstr;

constexpr uint64_t kNoLimit = uint64_t{1} << 40;

absl::StatusOr<uint64_t> Measure(const std::string& wire, uint64_t max_bytes = kNoLimit) {
  google::protobuf::io::ArrayInputStream stream(wire.data(), static_cast<int>(wire.size()), 7);  // in pieces
  return ParsedBytes(stream, *ModelInferRequest::descriptor(), max_bytes);
}

// The estimate is at least what protobuf says the message takes.
void ExpectCovered(const std::string& wire) {
  ModelInferRequest message;
  ASSERT_TRUE(message.ParseFromString(wire));
  const absl::StatusOr<uint64_t> bytes = Measure(wire);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_GE(*bytes, message.SpaceUsedLong());
}

TEST(MessageCodecTest, TheEstimateCoversWhatParsingTakes) {
  ExpectCovered("");
  ModelInferRequest message;
  for (int i = 0; i < 1000; ++i) message.add_inputs();
  ExpectCovered(message.SerializeAsString());
  message.Clear();
  for (int i = 0; i < 1000; ++i) message.add_raw_input_contents("");
  ExpectCovered(message.SerializeAsString());
  message.Clear();
  for (int i = 0; i < 1000; ++i) message.add_inputs()->mutable_contents();
  ExpectCovered(message.SerializeAsString());
  message.Clear();
  for (int i = 0; i < 1000; ++i) {
    auto& input = *message.add_inputs();
    input.set_name("n");
    input.add_shape(1);
    (*input.mutable_parameters())["p"].set_string_param("v");
  }
  ExpectCovered(message.SerializeAsString());
  message.Clear();
  for (int i = 0; i < 1000; ++i) message.mutable_parameters()->insert({std::to_string(i), {}});
  ExpectCovered(message.SerializeAsString());
  message.Clear();
  auto& contents = *message.add_inputs()->mutable_contents();
  for (int i = 0; i < 1025; ++i) {
    contents.add_int64_contents(1);
    contents.add_int_contents(1);
    contents.add_bool_contents(true);
    contents.add_fp32_contents(1);
    contents.add_fp64_contents(1);
    contents.add_bytes_contents("");
  }
  ExpectCovered(message.SerializeAsString());
}

TEST(MessageCodecTest, UnknownFieldsAreCounted) {
  std::string wire;
  for (int i = 0; i < 1000; ++i) wire += std::string("\xf8\x07\x01", 3);  // field 127, a number
  for (int i = 0; i < 1000; ++i) wire += std::string("\xfa\x07\x00", 3);  // field 127, empty text
  for (int i = 0; i < 1000; ++i)
    wire += std::string(
        "\xfd\x07"
        "1234",
        6);
  for (int i = 0; i < 1000; ++i)
    wire += std::string(
        "\xf9\x07"
        "12345678",
        10);
  ExpectCovered(wire);
}

TEST(MessageCodecTest, RawDataCountLittleMoreThanTheirBytes) {
  ModelInferRequest message;
  message.add_raw_input_contents(std::string(1'000'000, 'x'));
  const absl::StatusOr<uint64_t> bytes = Measure(message.SerializeAsString());
  ASSERT_TRUE(bytes.ok());
  EXPECT_LT(*bytes, 1'001'000u);
}

TEST(MessageCodecTest, TheLimitIsNamed) {
  ModelInferRequest message;
  message.add_raw_input_contents(std::string(1000, 'x'));
  const std::string wire = message.SerializeAsString();
  const uint64_t bytes = *Measure(wire);
  EXPECT_TRUE(Measure(wire, bytes).ok());
  const absl::Status over = Measure(wire, bytes - 1).status();
  EXPECT_EQ(over.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(over.message()), HasSubstr(std::to_string(bytes - 1)));
}

TEST(MessageCodecTest, MalformedBytesAreInvalid) {
  const std::string malformed[] = {std::string("\x0a", 1),  // a length is missing
                                   std::string("\x0a\x05"
                                               "ab",
                                               4),  // text cut short
                                   std::string("\x2a\x05\x0a\x05"
                                               "abc",
                                               7),              // longer than the message around it
                                   std::string("\x3b\x3c", 2),  // a group
                                   std::string("\x00\x01", 2),  // field 0
                                   std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11),
                                   std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11)};
  for (const std::string& wire : malformed) {
    EXPECT_EQ(Measure(wire).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(MessageCodecTest, MessagesGoThereAndBack) {
  ModelInferRequest message;
  message.set_model_name("m");
  message.add_raw_input_contents(std::string(100'000, 'x'));
  grpc::ByteBuffer wire;
  ASSERT_TRUE(SerializeMessage(message, wire).ok());
  ModelInferRequest parsed;
  ASSERT_TRUE(ParseMessage(wire, parsed, kNoLimit).ok());
  EXPECT_EQ(parsed.SerializeAsString(), message.SerializeAsString());
}

TEST(MessageCodecTest, TextThatIsNotUtf8IsInvalid) {
  const grpc::Slice slice(std::string("\x0a\x01\xff", 3));
  grpc::ByteBuffer wire(&slice, 1);
  ModelInferRequest parsed;
  EXPECT_EQ(ParseMessage(wire, parsed, kNoLimit).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace waystone
