// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/conversion.h"

#include <array>
#include <optional>
#include <string>
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

constexpr size_t kLongestText = 1000;  // of a library's error

struct TypePair {
  DataType ours;
  ov::element::Type_t theirs;
};
constexpr std::array<TypePair, 13> kTypes = {{{DataType::kBool, ov::element::Type_t::boolean},
                                              {DataType::kUint8, ov::element::Type_t::u8},
                                              {DataType::kUint16, ov::element::Type_t::u16},
                                              {DataType::kUint32, ov::element::Type_t::u32},
                                              {DataType::kUint64, ov::element::Type_t::u64},
                                              {DataType::kInt8, ov::element::Type_t::i8},
                                              {DataType::kInt16, ov::element::Type_t::i16},
                                              {DataType::kInt32, ov::element::Type_t::i32},
                                              {DataType::kInt64, ov::element::Type_t::i64},
                                              {DataType::kFloat16, ov::element::Type_t::f16},
                                              {DataType::kBfloat16, ov::element::Type_t::bf16},
                                              {DataType::kFloat32, ov::element::Type_t::f32},
                                              {DataType::kFloat64, ov::element::Type_t::f64}}};

std::optional<DataType> TypeFromOpenVino(const ov::element::Type& type) {
  for (const TypePair& pair : kTypes) {
    if (pair.theirs == type) return pair.ours;
  }
  return std::nullopt;
}

template <typename Port>
absl::StatusOr<TensorSignature> DescribePort(const Port& port) {
  std::string name = port.get_names().empty() ? port.get_node()->get_friendly_name() : port.get_any_name();
  const std::optional<DataType> type = TypeFromOpenVino(port.get_element_type());
  if (!type) {
    return absl::UnimplementedError(absl::StrCat("tensor '", LogSafe(name), "' has the element type ",
                                                 port.get_element_type().to_string(),
                                                 ", which is not supported"));
  }
  if (port.get_partial_shape().rank().is_dynamic()) {
    return absl::UnimplementedError(
        absl::StrCat("tensor '", LogSafe(name), "' has no fixed number of dimensions"));
  }
  return TensorSignature{std::move(name), *type, FromOpenVino(port.get_partial_shape())};
}

}  // namespace

ov::element::Type ToOpenVino(DataType type) { return kTypes[static_cast<size_t>(type)].theirs; }

ov::Shape ToOpenVino(const Shape& static_shape) { return {static_shape.begin(), static_shape.end()}; }

ov::PartialShape ToPartialShape(const Shape& shape) {
  return ov::PartialShape(std::vector<ov::Dimension>(shape.begin(), shape.end()));
}

Shape FromOpenVino(const ov::PartialShape& shape) {
  std::vector<int64_t> dims;
  for (const ov::Dimension& dim : shape) dims.push_back(dim.is_static() ? dim.get_length() : kDynamicDim);
  return Shape(std::move(dims));
}

absl::StatusOr<ModelSignature> DescribeModel(const ov::Model& model) {
  if (model.outputs().empty()) return absl::InvalidArgumentError("the model has no outputs");
  ModelSignature signature;
  for (const auto& port : model.inputs()) {
    WAYSTONE_ASSIGN_OR_RETURN(TensorSignature tensor, DescribePort(port));
    signature.inputs.push_back(std::move(tensor));
  }
  for (const auto& port : model.outputs()) {
    WAYSTONE_ASSIGN_OR_RETURN(TensorSignature tensor, DescribePort(port));
    signature.outputs.push_back(std::move(tensor));
  }
  return signature;
}

absl::Status StatusFromException(absl::StatusCode code, absl::string_view doing,
                                 const std::exception& error) {
  const std::string text = error.what();
  std::vector<absl::string_view> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    line = absl::StripAsciiWhitespace(line);
    const bool position =
        absl::StartsWith(line, "Exception from ") || absl::StrContains(line, "failed at src/");
    if (!position) lines.push_back(line);
  }
  const std::string joined = lines.empty() ? text : absl::StrJoin(lines, " ");
  if (absl::StrContains(joined, "No conversion rule found") ||
      absl::StrContains(joined, "No translator found")) {
    code = absl::StatusCode::kUnimplemented;
  }
  return absl::Status(code, absl::StrCat(doing, ": ", LogSafe(joined.substr(0, kLongestText))));
}

}  // namespace waystone
