// SPDX-License-Identifier: Apache-2.0
#include "grpc/infer_codec.h"

#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grpc/testing/infer_messages.h"

namespace waystone {
namespace {

using inference::ModelInferRequest;
using inference::ModelInferResponse;
using testing::ElementsAre;
using testing::HasSubstr;

template <typename T>
std::vector<T> Values(std::span<const std::byte> data) {
  std::vector<T> values(data.size() / sizeof(T));
  if (!data.empty()) std::memcpy(values.data(), data.data(), values.size() * sizeof(T));
  return values;
}

std::string Text(std::span<const std::byte> data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

TEST(InferCodecTest, NamesVersionAndIdAreTaken) {
  ModelInferRequest message;
  message.set_model_name("m");
  message.set_model_version("12");
  message.set_id("id");
  message.add_outputs()->set_name("out");
  const absl::StatusOr<InferRequest> request = Decode(message);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->model, "m");
  EXPECT_EQ(request->version, "12");
  EXPECT_EQ(request->id, "id");
  ASSERT_EQ(request->outputs.size(), 1u);
  EXPECT_EQ(request->outputs[0].name, "out");
}

TEST(InferCodecTest, AVersionIsAWholeNumber) {
  for (const char* version : {"", "0", "007", "9223372036854775807"}) {
    ModelInferRequest message;
    message.set_model_version(version);
    EXPECT_TRUE(Decode(message).ok()) << version;
  }
  for (const char* version : {"-1", "+1", " 1", "1 ", "1.0", "x", "9223372036854775808"}) {
    ModelInferRequest message;
    message.set_model_version(version);
    ExpectInvalid(message, version);
  }
}

TEST(InferCodecTest, RawDataAreNotCopied) {
  ModelInferRequest message;
  AddInput(message, "a", "FP32", {2});
  AddInput(message, "b", "BYTES", {1});
  message.add_raw_input_contents("12345678");
  message.add_raw_input_contents(std::string("\1\0\0\0x", 5));
  const auto shared = std::make_shared<const ModelInferRequest>(message);
  absl::StatusOr<InferRequest> request = DecodeInferRequest(shared, InferOrigin::kCall);
  ASSERT_TRUE(request.ok()) << request.status();
  ASSERT_EQ(request->inputs.size(), 2u);
  EXPECT_EQ(static_cast<const void*>(request->inputs[0].data.data()), shared->raw_input_contents(0).data());
  EXPECT_EQ(request->inputs[0].type, DataType::kFloat32);
  EXPECT_EQ(request->inputs[1].type, std::nullopt);
  EXPECT_EQ(Text(request->inputs[1].data), std::string("\1\0\0\0x", 5));
  EXPECT_EQ(shared.use_count(), 2);
  request->memory.reset();
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(InferCodecTest, TypedDataOfFullWidthAreNotCopied) {
  ModelInferRequest message;
  AddInput(message, "f", "FP32", {2}).mutable_contents()->add_fp32_contents(1.5F);
  AddInput(message, "d", "FP64", {1}).mutable_contents()->add_fp64_contents(-2.5);
  AddInput(message, "i", "INT32", {1}).mutable_contents()->add_int_contents(-7);
  AddInput(message, "u", "UINT32", {1}).mutable_contents()->add_uint_contents(7);
  AddInput(message, "l", "INT64", {1}).mutable_contents()->add_int64_contents(-8);
  AddInput(message, "m", "UINT64", {1}).mutable_contents()->add_uint64_contents(8);
  AddInput(message, "b", "BOOL", {1}).mutable_contents()->add_bool_contents(true);
  const auto shared = std::make_shared<const ModelInferRequest>(message);
  const absl::StatusOr<InferRequest> request = DecodeInferRequest(shared, InferOrigin::kCall);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(static_cast<const void*>(request->inputs[0].data.data()),
            shared->inputs(0).contents().fp32_contents().data());
  EXPECT_THAT(Values<float>(request->inputs[0].data), ElementsAre(1.5F));
  EXPECT_THAT(Values<double>(request->inputs[1].data), ElementsAre(-2.5));
  EXPECT_THAT(Values<int32_t>(request->inputs[2].data), ElementsAre(-7));
  EXPECT_THAT(Values<uint32_t>(request->inputs[3].data), ElementsAre(7u));
  EXPECT_THAT(Values<int64_t>(request->inputs[4].data), ElementsAre(-8));
  EXPECT_THAT(Values<uint64_t>(request->inputs[5].data), ElementsAre(8u));
  EXPECT_THAT(Values<uint8_t>(request->inputs[6].data), ElementsAre(1));
}

TEST(InferCodecTest, NarrowIntegersAreNarrowedAtTheirBounds) {
  ModelInferRequest message;
  auto& int8 = *AddInput(message, "a", "INT8", {2}).mutable_contents();
  int8.add_int_contents(-128);
  int8.add_int_contents(127);
  auto& int16 = *AddInput(message, "b", "INT16", {2}).mutable_contents();
  int16.add_int_contents(-32768);
  int16.add_int_contents(32767);
  AddInput(message, "c", "UINT8", {1}).mutable_contents()->add_uint_contents(255);
  AddInput(message, "d", "UINT16", {1}).mutable_contents()->add_uint_contents(65535);
  const absl::StatusOr<InferRequest> request = Decode(message);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_THAT(Values<int8_t>(request->inputs[0].data), ElementsAre(-128, 127));
  EXPECT_THAT(Values<int16_t>(request->inputs[1].data), ElementsAre(-32768, 32767));
  EXPECT_THAT(Values<uint8_t>(request->inputs[2].data), ElementsAre(255));
  EXPECT_THAT(Values<uint16_t>(request->inputs[3].data), ElementsAre(65535));
}

TEST(InferCodecTest, IntegersThatDoNotFitAreRefused) {
  const auto refuse = [](const char* type, int32_t value) {
    ModelInferRequest message;
    auto& contents = *AddInput(message, "n", type, {2}).mutable_contents();
    contents.add_int_contents(0);
    contents.add_int_contents(value);
    ExpectInvalid(message, "element 1 is " + std::to_string(value));
  };
  refuse("INT8", 128);
  refuse("INT8", -129);
  refuse("INT16", 32768);
  refuse("INT16", -32769);
  for (const auto& [type, value] : {std::pair("UINT8", 256u), std::pair("UINT16", 65536u)}) {
    ModelInferRequest message;
    AddInput(message, "n", type, {1}).mutable_contents()->add_uint_contents(value);
    ExpectInvalid(message, std::to_string(value));
  }
}

TEST(InferCodecTest, BytesAreWrittenWithTheirLengths) {
  ModelInferRequest message;
  auto& contents = *AddInput(message, "t", "BYTES", {3}).mutable_contents();
  contents.add_bytes_contents("ab");
  contents.add_bytes_contents("");
  contents.add_bytes_contents(std::string("\0", 1));
  const absl::StatusOr<InferRequest> request = Decode(message);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(Text(request->inputs[0].data), std::string("\2\0\0\0ab\0\0\0\0\1\0\0\0\0", 15));
}

TEST(InferCodecTest, ManyRewrittenInputsKeepTheirData) {
  ModelInferRequest message;
  for (uint32_t i = 0; i < 200; ++i) {
    AddInput(message, "n" + std::to_string(i), "UINT8", {1}).mutable_contents()->add_uint_contents(i);
  }
  const absl::StatusOr<InferRequest> request = Decode(message);
  ASSERT_TRUE(request.ok()) << request.status();
  for (size_t i = 0; i < 200; ++i) EXPECT_THAT(Values<uint8_t>(request->inputs[i].data), ElementsAre(i));
}

TEST(InferCodecTest, ContentsAndRawExcludeEachOther) {
  ModelInferRequest message;
  AddInput(message, "a", "FP32", {1}).mutable_contents()->add_fp32_contents(1);
  AddInput(message, "b", "FP32", {1});
  message.add_raw_input_contents("1234");
  ExpectInvalid(message, "'a' has contents although");
  message.mutable_inputs(0)->mutable_contents()->Clear();  // even empty ones
  ExpectInvalid(message, "'a' has contents although");
}

TEST(InferCodecTest, EveryInputNeedsItsRawEntryAndNoneIsLeftOver) {
  ModelInferRequest message;
  AddInput(message, "a", "FP32", {1});
  AddInput(message, "b", "FP32", {1});
  ExpectInvalid(message, "'a' has no data");
  message.add_raw_input_contents("1234");
  ExpectInvalid(message, "'b' has no data");
  message.add_raw_input_contents("1234");
  EXPECT_TRUE(Decode(message).ok());
  message.add_raw_input_contents("1234");
  ExpectInvalid(message, "3 entries for 2 inputs");
}

TEST(InferCodecTest, RawEntriesWithoutInputsAreLeftOver) {
  ModelInferRequest message;
  message.add_raw_input_contents("");
  ExpectInvalid(message, "1 entries for 0 inputs");
}

TEST(InferCodecTest, AnEmptyTensorHasAnEmptyEntryOrEmptyContents) {
  ModelInferRequest raw;
  AddInput(raw, "a", "FP32", {0});
  raw.add_raw_input_contents("");
  EXPECT_TRUE(Decode(raw).ok());
  ModelInferRequest typed;
  AddInput(typed, "a", "FP32", {0}).mutable_contents();
  EXPECT_TRUE(Decode(typed).ok());
  ModelInferRequest nothing;
  AddInput(nothing, "a", "FP32", {0});
  ExpectInvalid(nothing, "'a' has no data");
}

TEST(InferCodecTest, HalfPrecisionNeedsRaw) {
  for (const char* type : {"FP16", "BF16"}) {
    ModelInferRequest message;
    AddInput(message, "h", type, {1});
    message.add_raw_input_contents("12");
    EXPECT_TRUE(Decode(message).ok()) << type;
    message.clear_raw_input_contents();
    message.mutable_inputs(0)->mutable_contents()->add_fp32_contents(1);
    ExpectInvalid(message, "send it in raw_input_contents");
  }
}

TEST(InferCodecTest, TheFieldMustBeThatOfTheType) {
  ModelInferRequest message;
  AddInput(message, "a", "FP32", {1}).mutable_contents()->add_fp64_contents(1);
  ExpectInvalid(message, "fills fp64_contents, it must fill fp32_contents");
  message.mutable_inputs(0)->mutable_contents()->Clear();
  message.mutable_inputs(0)->mutable_contents()->add_fp32_contents(1);
  message.mutable_inputs(0)->mutable_contents()->add_int_contents(1);
  ExpectInvalid(message, "fills both int_contents and fp32_contents");
  message.mutable_inputs(0)->mutable_contents()->Clear();
  message.mutable_inputs(0)->mutable_contents()->add_bytes_contents("x");
  ExpectInvalid(message, "bytes_contents");
}

TEST(InferCodecTest, UnknownDatatypesAreRefused) {
  for (const char* type : {"", "fp32", "FP8", "TYPE_FP32", "STRING"}) {
    ModelInferRequest message;
    AddInput(message, "a", type, {1}).mutable_contents();
    ExpectInvalid(message, "datatype '" + std::string(type) + "'");
  }
}

TEST(InferCodecTest, InputsInSharedMemoryTakeNoRawEntry) {
  ModelInferRequest message;
  auto& shared = AddInput(message, "s", "FP32", {1});
  (*shared.mutable_parameters())["shared_memory_region"].set_string_param("r");
  (*shared.mutable_parameters())["shared_memory_byte_size"].set_int64_param(4);
  (*shared.mutable_parameters())["shared_memory_offset"].set_uint64_param(8);
  AddInput(message, "a", "UINT8", {1});
  message.add_raw_input_contents("x");
  const absl::StatusOr<InferRequest> request = Decode(message);
  ASSERT_TRUE(request.ok()) << request.status();
  ASSERT_TRUE(request->inputs[0].shared_memory);
  EXPECT_EQ(request->inputs[0].shared_memory->region, "r");
  EXPECT_EQ(request->inputs[0].shared_memory->offset, 8u);
  EXPECT_EQ(request->inputs[0].shared_memory->byte_size, 4u);
  EXPECT_TRUE(request->inputs[0].data.empty());
  EXPECT_EQ(Text(request->inputs[1].data), "x");
  message.mutable_inputs(0)->mutable_contents();
  ExpectInvalid(message, "is in shared memory and has contents");
}

TEST(InferCodecTest, AnswersAreRawWithAnEmptyEntryForSharedMemory) {
  const std::string floats(8, 'f');
  InferResponse response{.model = "m", .version = "2", .id = "i", .outputs = {}, .memory = nullptr};
  response.outputs.push_back({.name = "a",
                              .type = DataType::kFloat32,
                              .shape = Shape{1, 2},
                              .data = std::as_bytes(std::span(floats)),
                              .shared_memory = std::nullopt});
  response.outputs.push_back({.name = "s",
                              .type = DataType::kFloat16,
                              .shape = Shape{4},
                              .data = {},
                              .shared_memory = SharedMemoryPart{"r", 16, 8}});
  response.outputs.push_back(
      {.name = "t", .type = std::nullopt, .shape = Shape{0}, .data = {}, .shared_memory = std::nullopt});
  ModelInferResponse message;
  ASSERT_TRUE(EncodeInferResponse(response, message).ok());
  EXPECT_EQ(message.model_name(), "m");
  EXPECT_EQ(message.model_version(), "2");
  EXPECT_EQ(message.id(), "i");
  EXPECT_THAT(message.raw_output_contents(), ElementsAre(floats, "", ""));
  EXPECT_EQ(message.outputs(0).datatype(), "FP32");
  EXPECT_THAT(message.outputs(0).shape(), ElementsAre(1, 2));
  EXPECT_EQ(message.outputs(1).parameters().at("shared_memory_region").string_param(), "r");
  EXPECT_EQ(message.outputs(1).parameters().at("shared_memory_offset").int64_param(), 16);
  EXPECT_EQ(message.outputs(1).parameters().at("shared_memory_byte_size").int64_param(), 8);
  EXPECT_EQ(message.outputs(2).datatype(), "BYTES");
}

TEST(InferCodecTest, AnswersHaveALimit) {
  const std::string data(8, 'f');
  InferResponse response;
  for (const char* name : {"a", "b"}) {
    response.outputs.push_back({.name = name,
                                .type = DataType::kUint8,
                                .shape = Shape{8},
                                .data = std::as_bytes(std::span(data)),
                                .shared_memory = std::nullopt});
  }
  ModelInferResponse message;
  EXPECT_TRUE(EncodeInferResponse(response, message, 16).ok());
  const absl::Status over = EncodeInferResponse(response, message, 15);
  EXPECT_EQ(over.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(over.message()), HasSubstr("15 bytes"));
}

}  // namespace
}  // namespace waystone
