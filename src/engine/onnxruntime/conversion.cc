// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/conversion.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include "base/log.h"
#include "base/status.h"

namespace waystone {
namespace {

constexpr size_t kLongestText = 1000;  // of a library's error

struct TypePair {
  DataType ours;
  ONNXTensorElementDataType theirs;
};
constexpr std::array<TypePair, 13> kTypes = {{{DataType::kBool, ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL},
                                              {DataType::kUint8, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8},
                                              {DataType::kUint16, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16},
                                              {DataType::kUint32, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32},
                                              {DataType::kUint64, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64},
                                              {DataType::kInt8, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8},
                                              {DataType::kInt16, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16},
                                              {DataType::kInt32, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32},
                                              {DataType::kInt64, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64},
                                              {DataType::kFloat16, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16},
                                              {DataType::kBfloat16, ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16},
                                              {DataType::kFloat32, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT},
                                              {DataType::kFloat64, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE}}};

std::optional<DataType> FromOnnxRuntime(ONNXTensorElementDataType type) {
  for (const TypePair& pair : kTypes) {
    if (pair.theirs == type) return pair.ours;
  }
  return std::nullopt;
}

absl::StatusOr<TensorSignature> DescribeTensor(std::string name, const Ort::TypeInfo& info) {
  if (info.GetONNXType() != ONNX_TYPE_TENSOR) {
    return absl::UnimplementedError(absl::StrCat("'", LogSafe(name), "' is not a tensor but of ONNX type ",
                                                 static_cast<int>(info.GetONNXType())));
  }
  const auto tensor = info.GetTensorTypeAndShapeInfo();
  const std::optional<DataType> type = FromOnnxRuntime(tensor.GetElementType());
  if (!type) {
    return absl::UnimplementedError(absl::StrCat("tensor '", LogSafe(name), "' has the ONNX element type ",
                                                 static_cast<int>(tensor.GetElementType()),
                                                 ", which is not supported"));
  }
  std::vector<int64_t> dims = tensor.GetShape();
  for (int64_t& dim : dims) {
    if (dim < 0) dim = kDynamicDim;
  }
  return TensorSignature{std::move(name), *type, Shape(std::move(dims))};
}

}  // namespace

ONNXTensorElementDataType ToOnnxRuntime(DataType type) { return kTypes[static_cast<size_t>(type)].theirs; }

absl::StatusOr<ModelSignature> DescribeSession(const Ort::Session& session) {
  ModelSignature signature;
  const Ort::AllocatorWithDefaultOptions allocator;
  for (size_t i = 0; i < session.GetInputCount(); ++i) {
    WAYSTONE_ASSIGN_OR_RETURN(
        TensorSignature tensor,
        DescribeTensor(session.GetInputNameAllocated(i, allocator).get(), session.GetInputTypeInfo(i)));
    signature.inputs.push_back(std::move(tensor));
  }
  for (size_t i = 0; i < session.GetOutputCount(); ++i) {
    WAYSTONE_ASSIGN_OR_RETURN(
        TensorSignature tensor,
        DescribeTensor(session.GetOutputNameAllocated(i, allocator).get(), session.GetOutputTypeInfo(i)));
    signature.outputs.push_back(std::move(tensor));
  }
  return signature;
}

absl::Status StatusFromException(absl::StatusCode code, absl::string_view doing,
                                 const std::exception& error) {
  const std::string text = absl::StrReplaceAll(error.what(), {{"\n", " "}});
  const auto* theirs = dynamic_cast<const Ort::Exception*>(&error);
  const OrtErrorCode reason = theirs == nullptr ? ORT_FAIL : theirs->GetOrtErrorCode();
  if (reason == ORT_NOT_IMPLEMENTED || absl::StrContains(text, "is not a registered function/op") ||
      absl::StrContains(text, "No Op registered for")) {
    code = absl::StatusCode::kUnimplemented;
  } else if (reason == ORT_INVALID_ARGUMENT) {
    code = absl::StatusCode::kInvalidArgument;
  }
  return absl::Status(code, absl::StrCat(doing, ": ", LogSafe(text.substr(0, kLongestText))));
}

}  // namespace waystone
