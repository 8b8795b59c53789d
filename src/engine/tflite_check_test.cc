// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite_check.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/test_data.h"
#include "support/tiny_tflite.h"

namespace waystone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What is wrong with the graph; empty when nothing is.
std::string Complaint(const TinyGraph& graph) {
  const absl::Status status = ReadTfLiteGraph(TinyTfLite(graph)).status();
  EXPECT_TRUE(status.ok() || absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

// relu(relu(input)): tensors 0, 1, 2.
TinyGraph TwoSteps() {
  TinyGraph graph = TinyUnary(TfLiteOp::kRelu, TfLiteType::kFloat32, 4);
  graph.tensors.push_back(graph.tensors[1]);
  graph.operators.push_back({.op = TfLiteOp::kRelu, .inputs = {1}, .outputs = {2}});
  graph.outputs = {2};
  return graph;
}

// A convolution of [1, 4, 4, 1] with one weight; `options` as Conv2DOptions has them.
TinyGraph Convolution(TfLiteOp op, std::vector<int32_t> options) {
  const bool depthwise = op == TfLiteOp::kDepthwiseConv2d;
  return {{{.shape = {1, 4, 4, 1}},
           {.shape = {1, 1, 1, 1}, .data = tiny_tflite::Raw(1.0F)},
           {.shape = {1}, .data = tiny_tflite::Raw(0.5F)},
           {.shape = {1, 4, 4, 1}}},
          {0},
          {3},
          {{.op = op,
            .inputs = {0, 1, 2},
            .outputs = {3},
            .options_type = depthwise ? TfLiteOptions::kDepthwiseConv2d : TfLiteOptions::kConv2d,
            .options = std::move(options)}}};
}

TEST(TfLiteCheckTest, ReadsTheShapesOfInputsAndOutputs) {
  const auto graph = ReadTfLiteGraph(TinyTfLite(TwoSteps()));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(graph->inputs, ElementsAre(Shape({kDynamicDim, 4})));
  EXPECT_THAT(graph->default_inputs, ElementsAre(Shape({1, 4})));
  EXPECT_THAT(graph->outputs, ElementsAre(Shape({kDynamicDim, 4})));
  EXPECT_FALSE(graph->has_variables);
}

TEST(TfLiteCheckTest, SeesVariables) {
  TinyGraph graph = TwoSteps();
  graph.tensors.push_back({.shape = {1}, .is_variable = true});
  EXPECT_TRUE(ReadTfLiteGraph(TinyTfLite(graph))->has_variables);
}

TEST(TfLiteCheckTest, RefusesBytesThatAreNoModelOfTheFormat) {
  const std::string whole = TinyTfLite(TwoSteps());
  std::string other_format = whole;
  other_format[4] = 'X';
  std::string other_version = whole;
  const size_t root = static_cast<uint8_t>(whole[0]);
  other_version[root + 4] = 9;
  for (const std::string& bytes : {std::string(), std::string("no model"), other_format}) {
    EXPECT_THAT(std::string(ReadTfLiteGraph(bytes).status().message()), HasSubstr("no 'TFL3'"));
  }
  EXPECT_THAT(std::string(ReadTfLiteGraph(other_version).status().message()), HasSubstr("version 3"));
}

TEST(TfLiteCheckTest, RefusesEveryFileThatIsCutOffBeforeItsLastTable) {
  const std::string whole = TinyTfLite(TwoSteps());
  for (size_t size = 0; size < whole.size(); ++size) {
    // At its own length, so that a sanitizer sees a read past it.
    const std::vector<char> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const absl::Status status = ReadTfLiteGraph({part.data(), part.size()}).status();
    EXPECT_TRUE(status.ok() || absl::IsInvalidArgument(status)) << status;
    if (size < whole.size() - 100) {
      EXPECT_FALSE(status.ok()) << size << " of " << whole.size();
    }
  }
}

TEST(TfLiteCheckTest, RefusesOperatorsInAnImpossibleOrder) {
  TinyGraph graph = TwoSteps();
  std::swap(graph.operators[0], graph.operators[1]);
  EXPECT_THAT(Complaint(graph), HasSubstr("reads a tensor before it is made"));
  graph = TwoSteps();
  graph.operators[1].outputs = {1};
  EXPECT_THAT(Complaint(graph), HasSubstr("makes a tensor that there is already"));
  graph = TwoSteps();
  graph.operators[1].outputs = {0};  // the input
  EXPECT_THAT(Complaint(graph), HasSubstr("makes a tensor that there is already"));
  graph = TwoSteps();
  graph.operators.pop_back();
  EXPECT_THAT(Complaint(graph), HasSubstr("nothing makes one of its outputs"));
}

TEST(TfLiteCheckTest, RefusesNumbersOfTensorsThatThereAreNot) {
  for (const int32_t number : {3, 1000000, -2, INT32_MIN}) {
    TinyGraph graph = TwoSteps();
    graph.operators[0].inputs = {number};
    EXPECT_THAT(Complaint(graph), HasSubstr("a tensor that there is not")) << number;
    graph = TwoSteps();
    graph.operators[1].outputs = {number};
    EXPECT_THAT(Complaint(graph), HasSubstr("a tensor that there is not")) << number;
    graph = TwoSteps();
    graph.inputs = {number};
    EXPECT_THAT(Complaint(graph), HasSubstr("a tensor that there is not")) << number;
    graph = TwoSteps();
    graph.outputs = {number};
    EXPECT_THAT(Complaint(graph), HasSubstr("a tensor that there is not")) << number;
  }
}

TEST(TfLiteCheckTest, AllowsAnAbsentInputOfAnOperatorOnly) {
  TinyGraph graph = TwoSteps();
  graph.operators[0].inputs = {0, -1};
  EXPECT_EQ(Complaint(graph), "");
  graph.operators[0].outputs = {1, -1};
  EXPECT_THAT(Complaint(graph), HasSubstr("a tensor that there is not"));
}

TEST(TfLiteCheckTest, LimitsWhatATensorMayHold) {
  TinyGraph graph = TwoSteps();
  graph.tensors[1].open_batch = false;
  graph.tensors[1].shape = {1 << 15, 1 << 14};
  EXPECT_EQ(Complaint(graph), "");
  graph.tensors[1].shape = {1 << 15, 1 << 14, 2};
  EXPECT_THAT(Complaint(graph), HasSubstr("at most 536870912 elements"));
  graph.tensors[1].shape = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
  EXPECT_THAT(Complaint(graph), HasSubstr("at most 536870912 elements"));
  graph.tensors[1].shape = {1, -1};
  EXPECT_THAT(Complaint(graph), HasSubstr("negative dimension"));
  graph.tensors[1].shape = std::vector<int32_t>(8, 1);
  EXPECT_EQ(Complaint(graph), "");
  graph.tensors[1].shape.push_back(1);
  EXPECT_THAT(Complaint(graph), HasSubstr("9 dimensions"));
}

TEST(TfLiteCheckTest, RefusesASignatureThatContradictsTheShape) {
  std::string bytes = TinyTfLite(TwoSteps());
  const std::string signature = tiny_tflite::Raw(int32_t{-1}) + tiny_tflite::Raw(int32_t{4});
  const size_t at = bytes.find(signature);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 4, tiny_tflite::Raw(INT32_MAX));
  EXPECT_THAT(std::string(ReadTfLiteGraph(bytes).status().message()),
              HasSubstr("the signature [2147483647,4]"));
}

TEST(TfLiteCheckTest, LimitsTheStepsOfConvolutions) {
  // padding, stride_w, stride_h, activation, dilation_w, dilation_h
  EXPECT_EQ(Complaint(Convolution(TfLiteOp::kConv2d, {0, 1, 1})), "");
  EXPECT_EQ(Complaint(Convolution(TfLiteOp::kConv2d, {0, 4096, 1, 0, 2, 2})), "");
  EXPECT_THAT(Complaint(Convolution(TfLiteOp::kConv2d, {0, 0, 1})), HasSubstr("a step of 0"));
  EXPECT_THAT(Complaint(Convolution(TfLiteOp::kConv2d, {0, 1, 4097})), HasSubstr("a step of 4097"));
  EXPECT_THAT(Complaint(Convolution(TfLiteOp::kConv2d, {0, 1, 1, 0, 1, -5})), HasSubstr("a step of -5"));
  // padding, stride_w, stride_h, multiplier, activation, dilation_w, dilation_h
  EXPECT_EQ(Complaint(Convolution(TfLiteOp::kDepthwiseConv2d, {0, 1, 1, 1})), "");
  EXPECT_THAT(Complaint(Convolution(TfLiteOp::kDepthwiseConv2d, {0, 1, 1, 1, 0, 1 << 23, 1})),
              HasSubstr("a step of 8388608"));
}

TEST(TfLiteCheckTest, RefusesADepthwiseConvolutionWithoutABias) {
  TinyGraph graph = Convolution(TfLiteOp::kDepthwiseConv2d, {0, 1, 1, 1});
  graph.operators[0].inputs = {0, 1, -1};
  EXPECT_THAT(Complaint(graph), HasSubstr("lacks an input"));
  graph.operators[0].inputs = {0, 1};
  EXPECT_THAT(Complaint(graph), HasSubstr("lacks an input"));
}

TEST(TfLiteCheckTest, StaysWithinTheBytesWhateverBitIsWrong) {
  const std::string whole = TinyTfLite(Convolution(TfLiteOp::kConv2d, {0, 1, 1}));
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::vector<char> forged(whole.begin(), whole.end());
    forged[bit / 8] = static_cast<char>(forged[bit / 8] ^ (1 << (bit % 8)));
    const absl::Status status = ReadTfLiteGraph({forged.data(), forged.size()}).status();
    EXPECT_TRUE(status.ok() || absl::IsInvalidArgument(status)) << "bit " << bit << ": " << status;
  }
}

TEST(TfLiteCheckTest, AcceptsEveryModelOfTheTestData) {
  WAYSTONE_SKIP_WITHOUT_DATA("models");
  int models = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(TestDataPath("models"))) {
    if (file.path().extension() != ".tflite") continue;
    EXPECT_TRUE(ReadTfLiteGraph(ReadTestFile(file.path())).ok()) << file.path();
    ++models;
  }
  EXPECT_GE(models, 1);
}

}  // namespace
}  // namespace waystone
