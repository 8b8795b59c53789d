// SPDX-License-Identifier: Apache-2.0
#include "http/predict_body.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Picture(absl::string_view json) {
  const absl::StatusOr<PredictInput> input = ParsePredictBody(json);
  EXPECT_TRUE(input.ok()) << input.status();
  return input.ok() && std::holds_alternative<std::string>(*input) ? std::get<std::string>(*input)
                                                                   : "no picture";
}

void ExpectRefused(absl::string_view json, const std::string& text,
                   absl::StatusCode code = absl::StatusCode::kInvalidArgument,
                   const PredictBodyLimits& limits = {}) {
  const absl::Status status = ParsePredictBody(json, limits).status();
  EXPECT_EQ(status.code(), code) << json.substr(0, 200);
  EXPECT_THAT(std::string(status.message()), HasSubstr(text)) << json.substr(0, 200);
}

// {"input": [[...1...]]} whose JSON is `depth` deep, the object included.
std::string NestedTo(size_t depth) {
  return absl::StrCat("{\"input\":", std::string(depth - 1, '['), "1", std::string(depth - 1, ']'), "}");
}

TEST(PredictBodyTest, ReadsAPictureInEachForm) {
  EXPECT_EQ(Picture(R"({"input": "/9j/4A=="})"), "\xFF\xD8\xFF\xE0");
  EXPECT_EQ(Picture(R"({"input": "/9j/4A"})"), "\xFF\xD8\xFF\xE0");
  EXPECT_EQ(Picture(R"({"input": "data:image/jpeg;base64,/9j/4A=="})"), "\xFF\xD8\xFF\xE0");
  EXPECT_EQ(Picture(R"({"input": {"b64": "/9j/4A=="}})"), "\xFF\xD8\xFF\xE0");
  EXPECT_EQ(Picture("{\"input\": \" /9j\\n/4A==\\r\\n\"}"), "\xFF\xD8\xFF\xE0");
}

TEST(PredictBodyTest, ReadsNestedListsAsATensor) {
  const absl::StatusOr<PredictInput> input =
      ParsePredictBody(R"({"input": [[[0, 1, 2], [3.5, -4e0, 255]], [[6, 7, 8], [9, 10, 1E-3]]]})");
  ASSERT_TRUE(input.ok()) << input.status();
  const NestedTensor& tensor = std::get<NestedTensor>(*input);
  EXPECT_EQ(tensor.shape, Shape({2, 2, 3}));
  EXPECT_THAT(tensor.values, ElementsAre(0, 1, 2, 3.5f, -4, 255, 6, 7, 8, 9, 10, 1e-3f));
  EXPECT_EQ(std::get<NestedTensor>(*ParsePredictBody(R"({"input":[1,2]})")).shape, Shape({2}));
}

// S44 and S46: broken JSON and an empty picture are refusals, not crashes.
TEST(PredictBodyTest, S44RefusesBrokenJson) {
  for (const char* json :
       {"", " ", "{", "{\"input\"", "{\"input\":}", "{\"input\":[1,]}", "{\"input\":[1]}x", "\x00",
        "{\"input\":\"\xFF\"}", "{\"input\":[NaN]}", "{\"input\":[Infinity]}", "{'input':[1]}",
        "{\"input\":[01]}", "{\"input\":[1e999]}", "{\"input\":\"\\ud800\"}", "\xEF\xBB"}) {
    ExpectRefused(json, "predict request: the body is not valid JSON at byte");
  }
}

TEST(PredictBodyTest, S46RefusesAnEmptyPicture) {
  ExpectRefused(R"({"input": ""})", "empty picture");
  ExpectRefused(R"({"input": " \n "})", "empty picture");
  ExpectRefused(R"({"input": {"b64": ""}})", "empty picture");
  ExpectRefused(R"({"input": "data:image/png;base64,"})", "empty picture");
}

TEST(PredictBodyTest, RefusesTextThatIsNoPicture) {
  ExpectRefused(R"({"input": "not base64!"})", "not base64");
  ExpectRefused(R"({"input": "/9j/4A=a"})", "not base64");
  ExpectRefused(R"({"input": "/9j/4A.."})", "not base64");
  ExpectRefused(R"({"input": "a"})", "not base64");
  ExpectRefused(R"({"input": "data:text/html;base64,aaaa"})", "data URL");
  ExpectRefused(R"({"input": "data:image/png,aaaa"})", "data URL");
  ExpectRefused(R"({"input": "data:image/png;base64"})", "data URL");
}

TEST(PredictBodyTest, RefusesOtherShapesOfTheDocument) {
  ExpectRefused("[]", "the body is a list");
  ExpectRefused("5", "the body is a number");
  ExpectRefused("null", "the body is null");
  ExpectRefused("{}", "\"input\" is missing");
  ExpectRefused(R"({"imput": [1]})", "the member \"imput\", the only one it may have is \"input\"");
  ExpectRefused(R"({"input": [1], "input": [2]})", "twice");
  ExpectRefused(R"({"input": [1], "more": 1})", "\"more\"");
  ExpectRefused(R"({"input": null})", "input is null");
  ExpectRefused(R"({"input": 7})", "input is a number");
  ExpectRefused(R"({"input": true})", "input is a boolean");
  ExpectRefused(R"({"input": {}})", "without \"b64\"");
  ExpectRefused(R"({"input": {"b64": [1]}})", "input.b64 is a list");
  ExpectRefused(R"({"input": {"b64": "aaaa", "b64": "aaaa"}})", "twice");
  ExpectRefused(R"({"input": {"url": "http://host/"}})", "\"url\"");
  ExpectRefused(absl::StrCat("{\"", std::string(100'000, 'k'), "\":1}"), "the member \"kkkk");
}

TEST(PredictBodyTest, NamesThePlaceWhereListsAreRagged) {
  ExpectRefused(R"({"input": [[1, 2], [3]]})", "input[1] has 1 elements where its neighbours have 2");
  ExpectRefused(R"({"input": [[1], [3, 4]]})", "input[1] has 2 elements where its neighbours have 1");
  ExpectRefused(R"({"input": [[1, 2], 3]})", "input[1] is a number where its neighbours are lists");
  ExpectRefused(R"({"input": [1, [2]]})", "input[1] is a list where its neighbours are numbers");
  ExpectRefused(R"({"input": [[[1], [2]], [[3], [[4]]]]})", "input[1][1][0] is a list");
  ExpectRefused(R"({"input": []})", "input is an empty list");
  ExpectRefused(R"({"input": [[1], []]})", "input[1] is an empty list");
  ExpectRefused(R"({"input": [[[1]], [2]]})", "input[1][0] is a number");
  ExpectRefused(R"({"input": [1, "2"]})", "input[1] is a string");
  ExpectRefused(R"({"input": [1, null]})", "input[1] is null");
  ExpectRefused(R"({"input": [[1], {"b64": "aaaa"}]})", "input[1] is an object");
}

TEST(PredictBodyTest, RefusesNumbersBeyondFp32) {
  ExpectRefused(R"({"input": [1, 1e39]})", "input[1] is a number beyond the range of FP32");
  ExpectRefused(R"({"input": [-1e39]})", "beyond the range");
  EXPECT_TRUE(ParsePredictBody(R"({"input": [3.4e38, 18446744073709551615, 1e-400]})").ok());
}

TEST(PredictBodyTest, H04DepthAtTheLimitAndPastIt) {
  EXPECT_TRUE(ParsePredictBody(NestedTo(50)).ok());
  EXPECT_TRUE(ParsePredictBody(NestedTo(64)).ok());
  ExpectRefused(NestedTo(65), "deeper than the limit of 64");
  ExpectRefused(NestedTo(120), "deeper than the limit of 64");
  ExpectRefused(absl::StrCat("{\"input\":", std::string(1'000'000, '[')), "deeper than the limit of 64");
}

// H07: two characters become four bytes.
TEST(PredictBodyTest, H07ElementsAtTheLimitAndPastIt) {
  const PredictBodyLimits limits{.max_elements = 1000};
  std::string json = "{\"input\":[0";
  for (int i = 1; i < 1000; ++i) json += ",0";
  EXPECT_TRUE(ParsePredictBody(json + "]}", limits).ok());
  ExpectRefused(json + ",0]}", "limit of 1000", absl::StatusCode::kOutOfRange, limits);
}

TEST(PredictBodyTest, S50PictureBytesAtTheLimitAndPastIt) {
  const PredictBodyLimits limits{.max_picture_bytes = 1000};
  for (const size_t size : {size_t{998}, size_t{999}, size_t{1000}}) {
    const std::string json = absl::StrCat("{\"input\":\"", absl::Base64Escape(std::string(size, 'p')), "\"}");
    EXPECT_EQ(std::get<std::string>(*ParsePredictBody(json, limits)).size(), size);
  }
  ExpectRefused(absl::StrCat("{\"input\":\"", absl::Base64Escape(std::string(1001, 'p')), "\"}"),
                "a picture of 1001 bytes, above the limit of 1000 bytes", absl::StatusCode::kOutOfRange,
                limits);
}

}  // namespace
}  // namespace waystone
