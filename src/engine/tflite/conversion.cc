// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/conversion.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

#include "base/log.h"
#include "base/status.h"

namespace waystone {
namespace {

constexpr size_t kLongestText = 1000;  // of all that the library reports on one occasion

struct TypePair {
  DataType ours;
  tfl::Type theirs;
};
constexpr std::array<TypePair, 13> kTypes = {{{DataType::kBool, tfl::kBool},
                                              {DataType::kUint8, tfl::kUint8},
                                              {DataType::kUint16, tfl::kUint16},
                                              {DataType::kUint32, tfl::kUint32},
                                              {DataType::kUint64, tfl::kUint64},
                                              {DataType::kInt8, tfl::kInt8},
                                              {DataType::kInt16, tfl::kInt16},
                                              {DataType::kInt32, tfl::kInt32},
                                              {DataType::kInt64, tfl::kInt64},
                                              {DataType::kFloat16, tfl::kFloat16},
                                              {DataType::kBfloat16, tfl::kBfloat16},
                                              {DataType::kFloat32, tfl::kFloat32},
                                              {DataType::kFloat64, tfl::kFloat64}}};

// How the library says that it lacks an operator.
constexpr absl::string_view kUnknownOperator[] = {"unresolved custom op", "Didn't find op for builtin opcode",
                                                  "Unsupported custom op", "Select TensorFlow op(s)",
                                                  "Op builtin_code out of range"};

absl::StatusOr<TensorSignature> DescribeTensor(const tfl::Api& api, const tfl::Tensor* tensor, Shape shape) {
  const char* name = api.tensor_name(tensor);
  const std::optional<DataType> type = FromTfLite(api.tensor_type(tensor));
  if (!type) {
    return absl::UnimplementedError(absl::StrCat(
        "tensor '", LogSafe(name != nullptr ? name : ""), "' has the TensorFlow Lite element type ",
        static_cast<int>(api.tensor_type(tensor)), ", which is not supported"));
  }
  return TensorSignature{name != nullptr ? name : "", *type, std::move(shape)};
}

}  // namespace

void ErrorLog::Report(void* log, const char* format, va_list args) {
  std::array<char, kLongestText> line;
  if (std::vsnprintf(line.data(), line.size(), format, args) < 0) return;
  std::string& text = static_cast<ErrorLog*>(log)->text_;
  if (text.size() < kLongestText) absl::StrAppend(&text, line.data(), "\n");
}

absl::Status ErrorLog::ToStatus(absl::StatusCode code, absl::string_view doing) const {
  std::vector<absl::string_view> lines;
  for (const absl::string_view line : absl::StrSplit(text_, '\n', absl::SkipWhitespace())) {
    lines.push_back(absl::StripAsciiWhitespace(line));
  }
  const bool unknown = std::any_of(std::begin(kUnknownOperator), std::end(kUnknownOperator),
                                   [this](absl::string_view text) { return absl::StrContains(text_, text); });
  const std::string joined = lines.empty() ? "TensorFlow Lite gave no reason" : absl::StrJoin(lines, " ");
  return absl::Status(unknown ? absl::StatusCode::kUnimplemented : code,
                      absl::StrCat(doing, ": ", LogSafe(joined.substr(0, kLongestText))));
}

std::optional<DataType> FromTfLite(tfl::Type type) {
  for (const TypePair& pair : kTypes) {
    if (pair.theirs == type) return pair.ours;
  }
  return std::nullopt;
}

std::optional<Shape> ShapeOf(const tfl::Api& api, const tfl::Tensor* tensor) {
  const int32_t rank = api.tensor_num_dims(tensor);
  if (rank < 0) return std::nullopt;
  std::vector<int64_t> dims;
  for (int32_t axis = 0; axis < rank; ++axis) dims.push_back(api.tensor_dim(tensor, axis));
  return Shape(std::move(dims));
}

absl::StatusOr<ModelSignature> DescribeInterpreter(const tfl::Api& api, const tfl::Interpreter& interpreter,
                                                   const TfLiteGraph& graph) {
  if (static_cast<size_t>(api.interpreter_get_input_tensor_count(&interpreter)) != graph.inputs.size() ||
      static_cast<size_t>(api.interpreter_get_output_tensor_count(&interpreter)) != graph.outputs.size()) {
    return absl::InternalError("TensorFlow Lite counts other inputs or outputs than the file names");
  }
  ModelSignature signature;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const tfl::Tensor* tensor = api.interpreter_get_input_tensor(&interpreter, static_cast<int32_t>(i));
    WAYSTONE_ASSIGN_OR_RETURN(TensorSignature described, DescribeTensor(api, tensor, graph.inputs[i]));
    signature.inputs.push_back(std::move(described));
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const tfl::Tensor* tensor = api.interpreter_get_output_tensor(&interpreter, static_cast<int32_t>(i));
    WAYSTONE_ASSIGN_OR_RETURN(TensorSignature described, DescribeTensor(api, tensor, graph.outputs[i]));
    signature.outputs.push_back(std::move(described));
  }
  return signature;
}

absl::Status StatusFromException(absl::StatusCode code, absl::string_view doing,
                                 const std::exception& error) {
  return absl::Status(code, absl::StrCat(doing, ": ", LogSafe(error.what())));
}

}  // namespace waystone
