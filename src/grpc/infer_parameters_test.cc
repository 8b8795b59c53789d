// SPDX-License-Identifier: Apache-2.0
#include "grpc/infer_parameters.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grpc/testing/infer_messages.h"

namespace waystone {
namespace {

using inference::ModelInferRequest;

TEST(InferParametersTest, SharedMemoryParametersGoTogether) {
  const auto invalid = [](const std::string& text, const auto& change) {
    ModelInferRequest message;
    auto& input = AddInput(message, "s", "FP32", {1});
    (*input.mutable_parameters())["shared_memory_region"].set_string_param("r");
    (*input.mutable_parameters())["shared_memory_byte_size"].set_int64_param(4);
    change(*input.mutable_parameters());
    ExpectInvalid(message, text);
  };
  invalid("go together", [](auto& parameters) { parameters.erase("shared_memory_region"); });
  invalid("go together", [](auto& parameters) { parameters.erase("shared_memory_byte_size"); });
  invalid("go together", [](auto& parameters) {
    parameters.clear();
    parameters["shared_memory_offset"].set_int64_param(1);
  });
  invalid("name of a region",
          [](auto& parameters) { parameters["shared_memory_region"].set_string_param(""); });
  invalid("name of a region",
          [](auto& parameters) { parameters["shared_memory_region"].set_int64_param(1); });
  invalid("is -1", [](auto& parameters) { parameters["shared_memory_byte_size"].set_int64_param(-1); });
  invalid("is -1", [](auto& parameters) { parameters["shared_memory_offset"].set_int64_param(-1); });
  invalid("another type", [](auto& parameters) { parameters["shared_memory_offset"].set_string_param("1"); });
  invalid("9223372036854775808", [](auto& parameters) {
    parameters["shared_memory_byte_size"].set_uint64_param(uint64_t{1} << 63);
  });
}

TEST(InferParametersTest, RequestedOutputsSayHowToAnswer) {
  ModelInferRequest message;
  auto& classified = *message.add_outputs();
  classified.set_name("scores");
  (*classified.mutable_parameters())["classification"].set_int64_param(3);
  (*classified.mutable_parameters())["something_else"].set_bool_param(true);
  auto& shared = *message.add_outputs();
  shared.set_name("boxes");
  (*shared.mutable_parameters())["shared_memory_region"].set_string_param("r");
  (*shared.mutable_parameters())["shared_memory_byte_size"].set_int64_param(16);
  const absl::StatusOr<InferRequest> request = Decode(message);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->outputs[0].classification, 3);
  EXPECT_EQ(request->outputs[1].shared_memory->byte_size, 16u);
  (*message.mutable_outputs(1)->mutable_parameters())["classification"].set_int64_param(1);
  ExpectInvalid(message, "cannot go to shared memory");
  (*message.mutable_outputs(0)->mutable_parameters())["classification"].set_int64_param(0);
  ExpectInvalid(message, "classification is 0");
}

TEST(InferParametersTest, ParametersKeepTheirType) {
  ModelInferRequest message;
  auto& parameters = *message.mutable_parameters();
  parameters["b"].set_bool_param(true);
  parameters["i"].set_int64_param(-1);
  parameters["u"].set_uint64_param(1);
  parameters["d"].set_double_param(0.5);
  parameters["s"].set_string_param("text");
  const absl::StatusOr<InferRequest> request = Decode(message);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->parameters.at("b"), InferParameter(true));
  EXPECT_EQ(request->parameters.at("i"), InferParameter(int64_t{-1}));
  EXPECT_EQ(request->parameters.at("u"), InferParameter(uint64_t{1}));
  EXPECT_EQ(request->parameters.at("d"), InferParameter(0.5));
  EXPECT_EQ(request->parameters.at("s"), InferParameter(std::string("text")));
  parameters["none"];
  ExpectInvalid(message, "'none' has no value");
}

TEST(InferParametersTest, TheEmptyFinalResponseIsTakenFromRequestsOfStreamsOnly) {
  ModelInferRequest message;
  (*message.mutable_parameters())[kEmptyFinalResponse].set_bool_param(true);
  EXPECT_TRUE(Decode(message, InferOrigin::kStream)->parameters.empty());
  EXPECT_EQ(Decode(message, InferOrigin::kCall)->parameters.size(), 1u);  // for the service to refuse
  (*message.mutable_parameters())[kEmptyFinalResponse].set_int64_param(1);
  EXPECT_EQ(Decode(message, InferOrigin::kStream).status().code(), absl::StatusCode::kInvalidArgument);
}

// Each limit lets through what is at it and refuses one more.
TEST(InferParametersTest, CountsAndLengthsHaveLimits) {
  const InferCodecLimits limits{.max_inputs = 2,
                                .max_outputs = 2,
                                .max_parameters = 2,
                                .max_rank = 2,
                                .max_name_bytes = 4,
                                .max_parameter_bytes = 6};
  ModelInferRequest full;
  full.set_model_name("name");
  full.set_id("1234");
  for (const char* name : {"in-1", "in-2"}) {
    auto& input = AddInput(full, name, "FP32", {1, 1});
    input.mutable_contents()->add_fp32_contents(1);
    (*input.mutable_parameters())["a"].set_bool_param(true);
    (*input.mutable_parameters())["b"].set_bool_param(true);
  }
  for (const char* name : {"ou-1", "ou-2"}) {
    auto& output = *full.add_outputs();
    output.set_name(name);
    (*output.mutable_parameters())["a"].set_bool_param(true);
    (*output.mutable_parameters())["b"].set_bool_param(true);
  }
  (*full.mutable_parameters())["key1"].set_string_param("123456");
  (*full.mutable_parameters())["key2"].set_bool_param(true);
  ASSERT_TRUE(Decode(full, InferOrigin::kCall, limits).ok());
  const auto over = [&](const std::string& text, const auto& change) {
    ModelInferRequest message = full;
    change(message);
    ExpectRefused(message, absl::StatusCode::kOutOfRange, text, limits);
  };
  over("3 inputs", [](auto& message) { AddInput(message, "in-3", "FP32", {1}).mutable_contents(); });
  over("3 outputs", [](auto& message) { message.add_outputs(); });
  over("3 parameters", [](auto& message) { (*message.mutable_parameters())["key3"].set_bool_param(true); });
  over("3 dimensions", [](auto& message) { message.mutable_inputs(0)->add_shape(1); });
  over("3 parameters of an input",
       [](auto& message) { (*message.mutable_inputs(0)->mutable_parameters())["c"].set_bool_param(true); });
  over("3 parameters of an output",
       [](auto& message) { (*message.mutable_outputs(0)->mutable_parameters())["c"].set_bool_param(true); });
  over("model has 5 bytes, the limit is 4", [](auto& message) { message.set_model_name("name5"); });
  over("id of the request has 5", [](auto& message) { message.set_id("12345"); });
  over("an input has 5", [](auto& message) { message.mutable_inputs(0)->set_name("in-12"); });
  over("an output has 5", [](auto& message) { message.mutable_outputs(0)->set_name("ou-12"); });
  over("a parameter has 5", [](auto& message) {
    message.mutable_parameters()->erase("key2");
    (*message.mutable_parameters())["key22"].set_bool_param(true);
  });
  over("has 7 bytes, the limit is 6",
       [](auto& message) { (*message.mutable_parameters())["key1"].set_string_param("1234567"); });
}

}  // namespace
}  // namespace waystone
