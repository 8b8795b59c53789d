// SPDX-License-Identifier: Apache-2.0
#include "http/oip_request.h"

#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

absl::StatusOr<OipRequest> Read(std::string body, std::optional<uint64_t> json_bytes = std::nullopt) {
  return ReadOipRequest(std::move(body), json_bytes, {});
}

std::string Complaint(std::string body, std::optional<uint64_t> json_bytes = std::nullopt) {
  const absl::Status status = Read(std::move(body), json_bytes).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status) || absl::IsOutOfRange(status)) << status;
  return std::string(status.message());
}

// A request with one input A of that shape, type and data.
std::string Json(absl::string_view shape, absl::string_view type, absl::string_view data) {
  return absl::StrCat(R"({"inputs":[{"name":"A","shape":)", shape, R"(,"datatype":")", type, R"(","data":)",
                      data, "}]}");
}

template <typename T>
std::vector<T> Values(const InferTensor& tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

TEST(OipRequestTest, ReadsNestedAndFlatDataAlike) {
  for (const char* data : {"[1,2.5,-3,4e1]", "[[1,2.5],[-3,4e1]]", "[[[1]],[2.5,-3],40]"}) {
    const auto request = Read(Json("[2,2]", "FP32", data));
    ASSERT_TRUE(request.ok()) << request.status();
    ASSERT_EQ(request->infer.inputs.size(), 1u);
    EXPECT_EQ(request->infer.inputs[0].shape, Shape({2, 2}));
    EXPECT_THAT(Values<float>(request->infer.inputs[0]), ElementsAre(1, 2.5, -3, 40)) << data;
  }
}

TEST(OipRequestTest, ReadsEveryTypeToTheEdgeOfItsRange) {
  const auto bytes = [](absl::string_view type, absl::string_view data) {
    const auto request = Read(Json("[1]", type, data));
    return request.ok() ? static_cast<int>(request->infer.inputs[0].data.size()) : -1;
  };
  EXPECT_EQ(bytes("BOOL", "[true]"), 1);
  EXPECT_EQ(bytes("BOOL", "[1]"), -1);
  EXPECT_EQ(bytes("UINT8", "[255]"), 1);
  EXPECT_EQ(bytes("UINT8", "[256]"), -1);
  EXPECT_EQ(bytes("UINT8", "[-1]"), -1);
  EXPECT_EQ(bytes("INT8", "[-128]"), 1);
  EXPECT_EQ(bytes("INT8", "[-129]"), -1);
  EXPECT_EQ(bytes("INT8", "[128]"), -1);
  EXPECT_EQ(bytes("UINT16", "[65535]"), 2);
  EXPECT_EQ(bytes("UINT16", "[65536]"), -1);
  EXPECT_EQ(bytes("INT32", "[2147483647]"), 4);
  EXPECT_EQ(bytes("INT32", "[2147483648]"), -1);
  EXPECT_EQ(bytes("INT32", "[1.5]"), -1);
  EXPECT_EQ(bytes("UINT64", "[18446744073709551615]"), 8);
  EXPECT_EQ(bytes("INT64", "[-9223372036854775808]"), 8);
  EXPECT_EQ(bytes("INT64", "[9223372036854775808]"), -1);
  EXPECT_EQ(bytes("FP32", "[3e38]"), 4);
  EXPECT_EQ(bytes("FP32", "[4e38]"), -1);
  EXPECT_EQ(bytes("FP64", "[1e308]"), 8);
  EXPECT_EQ(bytes("FP32", "[\"1\"]"), -1);
  EXPECT_EQ(bytes("FP32", "[null]"), -1);
  EXPECT_EQ(bytes("FP16", "[1]"), -1);
  EXPECT_EQ(bytes("BF16", "[1]"), -1);
  EXPECT_EQ(bytes("BYTES", "[\"abc\"]"), 7);
  EXPECT_EQ(bytes("BYTES", "[5]"), -1);
}

TEST(OipRequestTest, SaysWhichElementIsWrong) {
  EXPECT_EQ(Complaint(Json("[3]", "INT8", "[1,2,300]")), "element 2 of input 'A' is 300, which is no INT8");
  EXPECT_THAT(Complaint(Json("[3]", "FP32", "[1,2]")),
              HasSubstr("input 'A' has 2 elements; its shape has 3"));
  EXPECT_THAT(Complaint(Json("[1]", "FP32", "[1,2]")), HasSubstr("more data than the 1 elements"));
  EXPECT_THAT(Complaint(Json("[1]", "FP16", "[1]")), HasSubstr("send it as binary data"));
  EXPECT_THAT(Complaint(Json("[1]", "FLOAT", "[1]")), HasSubstr("datatype of input 'A' is 'FLOAT'"));
}

TEST(OipRequestTest, ReadsBinaryDataBehindTheJsonInTheOrderOfTheInputs) {
  const std::string json =
      R"({"inputs":[{"name":"A","shape":[2],"datatype":"INT8","parameters":{"binary_data_size":2}},)"
      R"({"name":"J","shape":[1],"datatype":"INT8","data":[9]},)"
      R"({"name":"B","shape":[1],"datatype":"INT16","parameters":{"binary_data_size":2}}]})";
  const auto request = Read(json + std::string("\x01\x02\x03\x00", 4), json.size());
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_THAT(Values<int8_t>(request->infer.inputs[0]), ElementsAre(1, 2));
  EXPECT_THAT(Values<int8_t>(request->infer.inputs[1]), ElementsAre(9));
  EXPECT_THAT(Values<int16_t>(request->infer.inputs[2]), ElementsAre(3));
  EXPECT_THAT(Complaint(json + "123", json.size()), HasSubstr("input 'B' has 2 bytes of binary data"));
  EXPECT_EQ(Complaint(json + "12345", json.size()), "1 bytes of binary data belong to no input");
}

TEST(OipRequestTest, AnInputHasItsDataInExactlyOnePlace) {
  const auto complaint = [](absl::string_view rest) {
    return Complaint(absl::StrCat(R"({"inputs":[{"name":"A","shape":[1],"datatype":"INT8")", rest, "}]}"));
  };
  EXPECT_THAT(complaint(""), HasSubstr("must have exactly one of"));
  EXPECT_THAT(complaint(R"(,"data":[1],"parameters":{"binary_data_size":0})"), HasSubstr("exactly one of"));
  EXPECT_THAT(complaint(R"(,"parameters":{"shared_memory_region":"r"})"), HasSubstr("go together"));
  EXPECT_THAT(complaint(R"(,"parameters":{"binary_data_size":-1})"), HasSubstr("whole number from 0"));
  EXPECT_THAT(complaint(R"(,"parameters":{"binary_data_size":1})"), HasSubstr("the body has 0 left"));
}

TEST(OipRequestTest, ReadsIdParametersAndOutputs) {
  const auto request = Read(
      R"({"id":"7","ignored":{},"parameters":{"priority":2,"timeout":5000,"binary_data_output":true,"x":1.5,"y":"z"},)"
      R"("inputs":[{"name":"A","shape":[0],"datatype":"FP32","data":[]}],)"
      R"("outputs":[{"name":"X"},{"name":"Y","parameters":{"binary_data":false,"classification":3}}]})");
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->infer.id, "7");
  EXPECT_EQ(std::get<int64_t>(request->infer.parameters.at("priority")), 2);
  EXPECT_EQ(std::get<double>(request->infer.parameters.at("x")), 1.5);
  EXPECT_FALSE(request->infer.parameters.contains("binary_data_output"));
  ASSERT_EQ(request->infer.outputs.size(), 2u);
  EXPECT_EQ(request->infer.outputs[1].classification, 3);
  EXPECT_THAT(request->binary_outputs, ElementsAre(true, false));
}

TEST(OipRequestTest, S44BrokenJsonAndOtherKindsAreToldApart) {
  EXPECT_THAT(Complaint(""), HasSubstr("the JSON cannot be read"));
  EXPECT_THAT(Complaint("{"), HasSubstr("the JSON cannot be read"));
  EXPECT_THAT(Complaint("[]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(Complaint("{}"), HasSubstr("'inputs' must be an array"));
  EXPECT_THAT(Complaint(R"({"inputs":[5]})"), HasSubstr("'inputs' must be an array"));
  EXPECT_THAT(Complaint(R"({"inputs":[{}]})"), HasSubstr("an input has no 'name'"));
  EXPECT_THAT(Complaint(R"({"inputs":[],"id":5})"), HasSubstr("'id' must be text"));
  EXPECT_THAT(Complaint(R"({"inputs":[],"parameters":5})"), HasSubstr("parameters must be an object"));
  EXPECT_THAT(Complaint(R"({"inputs":[],"parameters":{"a":[]}})"), HasSubstr("parameter 'a' must be"));
  EXPECT_THAT(Complaint("{\"inputs\":[\xff]}"), HasSubstr("the JSON cannot be read"));
}

TEST(OipRequestTest, H02H03RefuseShapesThatCannotBe) {
  const int64_t wrap = (int64_t{1} << 60) + 2;
  EXPECT_THAT(Complaint(Json(absl::StrCat("[16,", wrap, "]"), "FP32", "[1.0]")), HasSubstr("shape"));
  EXPECT_THAT(Complaint(Json(absl::StrCat("[4,", wrap, "]"), "FP32", "[1.0]")), HasSubstr("shape"));
  EXPECT_THAT(Complaint(Json("[2,-5]", "FP32", "[1.0]")), HasSubstr("whole numbers from 0"));
  EXPECT_THAT(Complaint(Json("[9223372036854775808]", "FP32", "[1.0]")), HasSubstr("whole numbers from 0"));
  EXPECT_THAT(Complaint(Json("[1.5]", "FP32", "[1.0]")), HasSubstr("whole numbers from 0"));
  EXPECT_THAT(Complaint(Json("[1000000]", "FP32", "[1.0]")), HasSubstr("fewer elements than its shape"));
}

TEST(OipRequestTest, H04JsonMayBeFiftyDeepAndNotAHundredAndTwenty) {
  const auto nested = [](size_t depth) {
    return Json("[1]", "FP32", std::string(depth, '[') + "1" + std::string(depth, ']'));
  };
  EXPECT_TRUE(Read(nested(50)).ok());
  EXPECT_THAT(Complaint(nested(120)), HasSubstr("the JSON cannot be read"));
}

TEST(OipRequestTest, H07TheTypedSizeOfATensorIsBounded) {
  std::string data = "[0";
  for (int i = 1; i < 2000; ++i) data += ",0";
  data += "]";
  OipLimits limits;
  limits.max_tensor_bytes = 16'000;
  EXPECT_TRUE(ReadOipRequest(Json("[2000]", "FP64", data), std::nullopt, limits).ok());
  limits.max_tensor_bytes = 15'999;
  const absl::Status status = ReadOipRequest(Json("[2000]", "FP64", data), std::nullopt, limits).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()), HasSubstr("15999 bytes"));
}

TEST(OipRequestTest, S50BoundsTheJsonAndSaysWhatElseToDo) {
  OipLimits limits;
  const std::string json = Json("[1]", "FP32", "[1]");
  limits.max_json_bytes = json.size();
  EXPECT_TRUE(ReadOipRequest(json, std::nullopt, limits).ok());
  limits.max_json_bytes = json.size() - 1;
  const absl::Status status = ReadOipRequest(json, std::nullopt, limits).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()), HasSubstr("send tensors as binary data"));
}

TEST(OipRequestTest, KeepsTheTextOnlyWhereATensorLiesInIt) {
  const auto typed = Read(Json("[2]", "FP32", "[1,2]"));
  ASSERT_TRUE(typed.ok());
  EXPECT_EQ(typed->infer.memory_bytes, 8u);
  EXPECT_THAT(Values<float>(typed->infer.inputs[0]), ElementsAre(1, 2));
  const std::string json =
      R"({"inputs":[{"name":"A","shape":[2],"datatype":"INT8","parameters":{"binary_data_size":2}}]})";
  const auto binary = Read(json + "ab", json.size());
  ASSERT_TRUE(binary.ok());
  EXPECT_EQ(binary->infer.memory_bytes, json.size() + 2);
}

TEST(OipRequestTest, BoundsTheNumberOfInputs) {
  const auto many = [](int count) {
    std::string body = R"({"inputs":[)";
    for (int i = 0; i < count; ++i) {
      absl::StrAppend(&body, i > 0 ? "," : "", R"({"name":"A","shape":[0],"datatype":"INT8","data":[]})");
    }
    return body + "]}";
  };
  EXPECT_TRUE(Read(many(1024)).ok());
  EXPECT_THAT(Complaint(many(1025)), HasSubstr("up to 1024 objects"));
}

TEST(OipRequestTest, H01TheLengthHeaderMustBeOneThatTheBodyHas) {
  EXPECT_EQ(ReadJsonLength("", 10).value(), std::nullopt);
  EXPECT_EQ(ReadJsonLength("0", 10).value(), 0u);
  EXPECT_EQ(ReadJsonLength("10", 10).value(), 10u);
  for (const char* header :
       {"11", "99999999999", "-1", "abc", "1e1", " 5", "5 ", "0x5", "+5", "99999999999999999999"}) {
    EXPECT_EQ(ReadJsonLength(header, 10).status().code(), absl::StatusCode::kInvalidArgument) << header;
  }
}

}  // namespace
}  // namespace waystone
