// SPDX-License-Identifier: Apache-2.0
#include "serving/golden_file.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr char kGolden[] = R"({"model": "m.onnx", "input_image": "golden/input.png",
  "input_samples": {"images": {"dtype": "float32", "shape": [1, 3, 4, 4]}},
  "outputs": [{"name": "out", "dtype": "uint8", "shape": [1, 3], "min": 0, "max": 9, "samples": [[0, 1], [2, 9]]}]})";

std::string ErrorAfter(absl::string_view from, absl::string_view to) {
  const std::string text = absl::StrReplaceAll(kGolden, {{from, to}});
  EXPECT_NE(text, kGolden) << from;
  const absl::Status status = ParseGoldenFile(text, "g.json").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << to;
  return std::string(status.message());
}

TEST(GoldenFileTest, ReadsTensorsAndSamples) {
  const auto golden = ParseGoldenFile(kGolden, "g.json");
  ASSERT_TRUE(golden.ok()) << golden.status();
  EXPECT_EQ(golden->model, "m.onnx");
  EXPECT_EQ(golden->picture, "golden/input.png");
  ASSERT_EQ(golden->inputs.size(), 1u);
  EXPECT_EQ(golden->inputs[0].name, "images");
  EXPECT_EQ(golden->inputs[0].shape, Shape({1, 3, 4, 4}));
  ASSERT_EQ(golden->outputs.size(), 1u);
  EXPECT_EQ(golden->outputs[0].type, DataType::kUint8);
  EXPECT_THAT(golden->outputs[0].samples, ElementsAre(Pair(0, 1), Pair(2, 9)));
}

TEST(GoldenFileTest, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorAfter("\"m.onnx\"", "1"), "g.json: \"model\" is no text");
  EXPECT_THAT(ErrorAfter("golden/input", "../input"), HasSubstr("leads out of the folder"));
  EXPECT_THAT(ErrorAfter("float32", "float128"), HasSubstr("dtype"));
  EXPECT_THAT(ErrorAfter("[1, 3, 4, 4]", "[1, -3]"), HasSubstr("numbers from 0 up"));
  EXPECT_THAT(ErrorAfter("[1, 3, 4, 4]", "[1, 1e3]"), HasSubstr("numbers from 0 up"));
  EXPECT_THAT(ErrorAfter("[1, 3, 4, 4]", "[4294967296, 4294967296]"), HasSubstr("too large"));
  EXPECT_THAT(ErrorAfter("[1, 3, 4, 4]", "[1,1,1,1,1,1,1,1,1]"), HasSubstr("up to 8"));
  EXPECT_THAT(ErrorAfter("[2, 9]", "[3, 9]"), HasSubstr("no index below 3"));
  EXPECT_THAT(ErrorAfter("[2, 9]", "[-1, 9]"), HasSubstr("no index below 3"));
  EXPECT_THAT(ErrorAfter("\"min\": 0", "\"min\": \"0\""), HasSubstr("\"min\" is no number"));
  EXPECT_THAT(ErrorAfter("{\"images\"", "{}, \"x\": {\"images\""), HasSubstr("names no inputs"));
}

TEST(GoldenFileTest, RefusesWhatIsNoGoldenFileAtAll) {
  for (const std::string& text : {std::string(), std::string("[]"), std::string("null"), std::string("{"),
                                  std::string(100000, '['), std::string("\xFF\xFE")}) {
    EXPECT_EQ(ParseGoldenFile(text, "g.json").status().code(), absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace waystone
