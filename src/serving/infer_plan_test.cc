// SPDX-License-Identifier: Apache-2.0
#include "serving/infer_plan.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/job.h"

namespace waystone {
namespace {

using testing::HasSubstr;

// Two inputs, A [-1,2] FP32 and B [-1,1] INT32, two outputs, up to 4 rows.
InferSignature Batched() {
  InferSignature signature;
  signature.tensors = {{{"A", DataType::kFloat32, {-1, 2}}, {"B", DataType::kInt32, {-1, 1}}},
                       {{"X", DataType::kFloat32, {-1, 3}}, {"Y", DataType::kFloat32, {-1, 3}}}};
  signature.max_batch = 4;
  return signature;
}

const std::string& Zeros() {
  static const std::string zeros(4096, '\0');
  return zeros;
}

InferTensor Tensor(std::string name, std::optional<DataType> type, Shape shape, size_t bytes) {
  return {std::move(name), type, std::move(shape), std::as_bytes(std::span(Zeros().data(), bytes)), {}};
}

InferRequest Good() {
  InferRequest request;
  request.inputs = {Tensor("B", DataType::kInt32, {2, 1}, 8), Tensor("A", DataType::kFloat32, {2, 2}, 16)};
  return request;
}

std::string Complaint(const InferRequest& request, const InferSignature& signature = Batched()) {
  const absl::Status status = PlanInfer(request, signature).status();
  EXPECT_TRUE(status.ok() || absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

TEST(InferPlanTest, OrdersInputsAsTheModelDoesAndAnswersAllOutputs) {
  const auto plan = PlanInfer(Good(), Batched());
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->rows, 2);
  EXPECT_EQ(plan->inputs[0].type, DataType::kFloat32);
  EXPECT_EQ(plan->inputs[1].type, DataType::kInt32);
  ASSERT_EQ(plan->outputs.size(), 2u);
  EXPECT_EQ(plan->outputs[1].index, 1u);
}

TEST(InferPlanTest, AnswersTheOutputsThatAreAskedForInTheirOrder) {
  InferRequest request = Good();
  request.outputs = {{"Y", 0, {}}, {"X", 2, {}}};
  const auto plan = PlanInfer(request, Batched());
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->outputs[0].index, 1u);
  EXPECT_EQ(plan->outputs[1].index, 0u);
  EXPECT_EQ(plan->outputs[1].classification, 2);
}

TEST(InferPlanTest, RefusesInputsThatAreUnknownMissingOrGivenTwice) {
  InferRequest request = Good();
  request.inputs[0].name = "C";
  EXPECT_EQ(Complaint(request), "the model has no input 'C'");
  request = Good();
  request.inputs.pop_back();
  EXPECT_EQ(Complaint(request), "input 'A' is missing");
  request = Good();
  request.inputs.push_back(request.inputs[0]);
  EXPECT_EQ(Complaint(request), "input 'B' is given twice");
}

TEST(InferPlanTest, S47RefusesAnotherType) {
  InferRequest request = Good();
  request.inputs[0].type = DataType::kUint32;
  EXPECT_EQ(Complaint(request), "input 'B' is UINT32; the model takes INT32");
  request.inputs[0].type = std::nullopt;
  EXPECT_EQ(Complaint(request), "input 'B' is BYTES; the model takes INT32");
}

TEST(InferPlanTest, RefusesAnotherShapeRankOrBatch) {
  for (const Shape& shape :
       {Shape({2}), Shape({2, 3}), Shape({2, 1, 1}), Shape({2, -1}), Shape({-2, 1}), Shape()}) {
    InferRequest request = Good();
    request.inputs[0].shape = shape;
    EXPECT_THAT(Complaint(request), HasSubstr("the model takes [-1,1]")) << shape.ToString();
  }
  InferRequest request = Good();
  request.inputs[0] = Tensor("B", DataType::kInt32, {3, 1}, 12);
  EXPECT_EQ(Complaint(request), "input 'B' has a batch of 3, input 'A' one of 2");
  request.inputs = {Tensor("A", DataType::kFloat32, {0, 2}, 0), Tensor("B", DataType::kInt32, {0, 1}, 0)};
  EXPECT_THAT(Complaint(request), HasSubstr("a batch of 0; the least is 1"));
}

TEST(InferPlanTest, H10RefusesMoreOrFewerBytesThanTheShapeTakes) {
  InferRequest request = Good();
  request.inputs[1] = Tensor("A", DataType::kFloat32, {2, 2}, 15);
  EXPECT_EQ(Complaint(request), "input 'A' has 15 bytes; FP32[2,2] takes 16");
  request.inputs[1] = Tensor("A", DataType::kFloat32, {2, 2}, 17);
  EXPECT_EQ(Complaint(request), "input 'A' has 17 bytes; FP32[2,2] takes 16");
}

TEST(InferPlanTest, H02AndH18RefuseShapesWhoseProductOverflows) {
  InferSignature signature;
  signature.tensors = {{{"A", DataType::kFloat32, {-1, -1}}}, {{"X", DataType::kFloat32, {-1}}}};
  signature.max_batch = 4;
  for (const Shape& shape : {Shape({16, (int64_t{1} << 60) + 2}), Shape({4, (int64_t{1} << 60) + 2}),
                             Shape({INT64_MAX, 1}), Shape({INT64_MAX, INT64_MAX})}) {
    InferRequest request;
    request.inputs = {Tensor("A", DataType::kFloat32, shape, 4)};
    EXPECT_THAT(Complaint(request, signature), HasSubstr("has 4 bytes")) << shape.ToString();
  }
}

TEST(InferPlanTest, H05RefusesAnOutputThatIsAskedForTwiceOrUnknown) {
  InferRequest request = Good();
  request.outputs = {{"X", 0, {}}, {"X", 0, {}}};
  EXPECT_EQ(Complaint(request), "output 'X' is asked for twice");
  request.outputs = {{"Z", 0, {}}};
  EXPECT_EQ(Complaint(request), "the model has no output 'Z'");
  request.outputs = {{"X", -1, {}}};
  EXPECT_THAT(Complaint(request), HasSubstr("classification of output 'X' is -1"));
}

TEST(InferPlanTest, BoundsTheTensorsOfARequestAtTheirLimit) {
  InferRequest request = Good();
  request.outputs.assign(1025, {"X", 0, {}});
  EXPECT_THAT(Complaint(request), HasSubstr("the limit is 1024 each"));
  request.outputs.assign(1024, {"X", 0, {}});
  EXPECT_EQ(Complaint(request), "output 'X' is asked for twice");
}

TEST(InferPlanTest, TakesAModelWithoutABatchAxisWhole) {
  InferSignature signature;
  signature.tensors = {{{"A", DataType::kFloat32, {2, 2}}}, {{"X", DataType::kFloat32, {1}}}};
  InferRequest request;
  request.inputs = {Tensor("A", DataType::kFloat32, {2, 2}, 16)};
  const auto plan = PlanInfer(request, signature);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->rows, 1);
  request.inputs = {Tensor("A", DataType::kFloat32, {1, 2}, 8)};
  EXPECT_THAT(Complaint(request, signature), HasSubstr("the model takes [2,2]"));
}

InferSignature Pictures(int64_t max_batch) {
  InferSignature signature;
  signature.tensors = {{{"image", DataType::kFloat32, {max_batch > 0 ? -1 : 1, 3, 4, 4}}},
                       {{"X", DataType::kFloat32, {-1, 3}}}};
  signature.max_batch = max_batch;
  signature.picture_input = 0;
  return signature;
}

std::string Elements(const std::vector<std::string>& elements) {
  std::string data;
  for (const std::string& element : elements) {
    data += std::string({static_cast<char>(element.size()), 0, 0, 0}) + element;
  }
  return data;
}

TEST(InferPlanTest, TakesEncodedPicturesWhereTheModelDoes) {
  const std::string data = Elements({"one", "second"});
  InferRequest request;
  request.inputs = {{"image", std::nullopt, {2, 1}, std::as_bytes(std::span(data.data(), data.size())), {}}};
  const auto plan = PlanInfer(request, Pictures(4));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->rows, 2);
  EXPECT_THAT(plan->pictures, testing::ElementsAre("one", "second"));
  EXPECT_EQ(plan->inputs[0].shape, Shape({2, 3, 4, 4}));
}

TEST(InferPlanTest, S46RefusesPicturesThatAreEmptyOrDoNotAddUp) {
  const auto complaint = [](const std::string& data, Shape shape) {
    InferRequest request;
    request.inputs = {
        {"image", std::nullopt, std::move(shape), std::as_bytes(std::span(data.data(), data.size())), {}}};
    return Complaint(request, Pictures(4));
  };
  EXPECT_EQ(complaint(Elements({""}), {1}), "element 0 of input 'image' is empty");
  EXPECT_THAT(complaint("", {1}), HasSubstr("are not 1 elements"));
  EXPECT_THAT(complaint(Elements({"a", "b"}), {1}), HasSubstr("are not 1 elements"));
  EXPECT_THAT(complaint(Elements({"a"}), {2}), HasSubstr("are not 2 elements"));
  EXPECT_THAT(complaint(Elements({"abc"}).substr(0, 6), {1}), HasSubstr("are not 1 elements"));
  EXPECT_THAT(complaint(std::string("\xff\xff\xff\xff", 4) + "a", {1}), HasSubstr("are not 1 elements"));
  EXPECT_THAT(complaint(Elements({"a"}) + "xx", {1}), HasSubstr("are not 1 elements"));
  for (const Shape& shape : {Shape({1, 2}), Shape({0}), Shape({-1}), Shape({1, 1, 1}), Shape()}) {
    EXPECT_THAT(complaint(Elements({"a"}), shape), HasSubstr("it must be [n] or [n,1]")) << shape.ToString();
  }
}

TEST(InferPlanTest, OnePictureForAModelOfOne) {
  const std::string data = Elements({"one", "two"});
  InferRequest request;
  request.inputs = {{"image", std::nullopt, {2}, std::as_bytes(std::span(data.data(), data.size())), {}}};
  EXPECT_THAT(Complaint(request, Pictures(0)), HasSubstr("2 pictures; the model takes 1"));
}

TEST(InferParametersTest, ReadsPriorityAndTheShorterDeadline) {
  InferRequest request;
  request.arrived = TimePoint(std::chrono::seconds(10));
  request.deadline = Deadline::At(TimePoint(std::chrono::seconds(12)));
  request.parameters = {{"priority", uint64_t{2}}, {"timeout", int64_t{500'000}}, {"mine", std::string("x")}};
  const auto terms = ReadParameters(request);
  ASSERT_TRUE(terms.ok()) << terms.status();
  EXPECT_EQ(terms->priority, 2);
  EXPECT_EQ(terms->deadline.when(), TimePoint(std::chrono::milliseconds(10'500)));
  request.parameters["timeout"] = uint64_t{UINT64_MAX};
  EXPECT_EQ(ReadParameters(request)->deadline, request.deadline);
  request.parameters["timeout"] = int64_t{0};
  EXPECT_EQ(ReadParameters(request)->deadline, request.deadline);
}

TEST(InferParametersTest, PrioritiesHaveALowest) {
  InferRequest request;
  for (const uint64_t sent : {uint64_t{kLowestPriority}, uint64_t{INT32_MAX}, UINT64_MAX}) {
    request.parameters["priority"] = sent;
    EXPECT_EQ(ReadParameters(request)->priority, kLowestPriority) << sent;
  }
}

TEST(InferParametersTest, H14RefusesReservedNamesAndWrongKinds) {
  const auto code = [](const char* name, InferParameter value) {
    InferRequest request;
    request.parameters[name] = std::move(value);
    return ReadParameters(request).status().code();
  };
  const auto kBad = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(code("headers", true), kBad);
  EXPECT_EQ(code("triton_anything", true), kBad);
  EXPECT_EQ(code("priority", int64_t{-1}), kBad);
  EXPECT_EQ(code("priority", std::string("1")), kBad);
  EXPECT_EQ(code("timeout", int64_t{-1}), kBad);
  EXPECT_EQ(code("timeout", 1.5), kBad);
  EXPECT_EQ(code("sequence_start", true), kBad);
  EXPECT_EQ(code("sequence_start", false), absl::StatusCode::kOk);
  EXPECT_EQ(code("sequence_id", int64_t{7}), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(code("sequence_id", int64_t{0}), absl::StatusCode::kOk);
  EXPECT_EQ(code("sequence_id", std::string()), absl::StatusCode::kOk);
}

}  // namespace
}  // namespace waystone
