// SPDX-License-Identifier: Apache-2.0
#include "grpc/infer_contents.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "base/checked_math.h"
#include "grpc/call_status.h"

namespace waystone {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian, as on the wire");

using inference::InferTensorContents;

// The fields that hold elements, by name.
struct Field {
  const char* name;
  int elements;
};

// The one field with elements, or one without a name; an error when there are several.
absl::StatusOr<Field> FilledField(absl::string_view input, const InferTensorContents& contents) {
  const Field fields[] = {{"bool_contents", contents.bool_contents_size()},
                          {"int_contents", contents.int_contents_size()},
                          {"int64_contents", contents.int64_contents_size()},
                          {"uint_contents", contents.uint_contents_size()},
                          {"uint64_contents", contents.uint64_contents_size()},
                          {"fp32_contents", contents.fp32_contents_size()},
                          {"fp64_contents", contents.fp64_contents_size()},
                          {"bytes_contents", contents.bytes_contents_size()}};
  Field filled{"", 0};
  for (const Field& field : fields) {
    if (field.elements == 0) continue;
    if (filled.elements > 0) {
      return absl::InvalidArgumentError(absl::StrCat("input '", WireName(input), "' fills both ", filled.name,
                                                     " and ", field.name, ", only one may be"));
    }
    filled = field;
  }
  return filled;
}

const char* FieldOf(std::optional<DataType> type) {
  if (!type) return "bytes_contents";
  switch (*type) {
    case DataType::kBool:
      return "bool_contents";
    case DataType::kUint8:
    case DataType::kUint16:
    case DataType::kUint32:
      return "uint_contents";
    case DataType::kUint64:
      return "uint64_contents";
    case DataType::kInt8:
    case DataType::kInt16:
    case DataType::kInt32:
      return "int_contents";
    case DataType::kInt64:
      return "int64_contents";
    case DataType::kFloat32:
      return "fp32_contents";
    case DataType::kFloat64:
      return "fp64_contents";
    case DataType::kFloat16:
    case DataType::kBfloat16:
      break;
  }
  return nullptr;
}

template <typename T>
std::span<const std::byte> InPlace(const google::protobuf::RepeatedField<T>& field) {
  return {reinterpret_cast<const std::byte*>(field.data()), static_cast<size_t>(field.size()) * sizeof(T)};
}

template <typename Narrow, typename Wide>
absl::StatusOr<std::span<const std::byte>> Narrowed(absl::string_view input, DataType type,
                                                    const google::protobuf::RepeatedField<Wide>& field,
                                                    RewrittenContents& rewritten) {
  std::vector<std::byte> bytes(static_cast<size_t>(field.size()) * sizeof(Narrow));
  std::byte* next = bytes.data();
  for (int i = 0; i < field.size(); ++i) {
    const Wide wide = field.Get(i);
    if (!std::in_range<Narrow>(wide)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "input '", WireName(input), "': element ", i, " is ", wide, ", ", Name(type), " goes from ",
          std::numeric_limits<Narrow>::min(), " to ", std::numeric_limits<Narrow>::max()));
    }
    const Narrow narrow = static_cast<Narrow>(wide);
    std::memcpy(next, &narrow, sizeof(narrow));
    next += sizeof(narrow);
  }
  rewritten.push_back(std::move(bytes));
  return rewritten.back();
}

// Each element as its length and its bytes.
absl::StatusOr<std::span<const std::byte>> Joined(absl::string_view input,
                                                  const InferTensorContents& contents,
                                                  RewrittenContents& rewritten) {
  std::optional<size_t> total = 0;
  for (const std::string& element : contents.bytes_contents()) {
    const bool fits = element.size() <= std::numeric_limits<uint32_t>::max();
    total = fits ? CheckedAdd(*total, element.size() + sizeof(uint32_t)) : std::nullopt;
    if (!total) {
      return absl::InvalidArgumentError(absl::StrCat("input '", WireName(input), "': an element of ",
                                                     element.size(), " bytes, BYTES has elements of at most ",
                                                     std::numeric_limits<uint32_t>::max()));
    }
  }
  std::vector<std::byte> bytes(*total);
  std::byte* next = bytes.data();
  for (const std::string& element : contents.bytes_contents()) {
    const auto length = static_cast<uint32_t>(element.size());
    std::memcpy(next, &length, sizeof(length));
    std::memcpy(next + sizeof(length), element.data(), element.size());
    next += sizeof(length) + element.size();
  }
  rewritten.push_back(std::move(bytes));
  return rewritten.back();
}

}  // namespace

absl::StatusOr<std::span<const std::byte>> ContentBytes(absl::string_view input, std::optional<DataType> type,
                                                        const InferTensorContents& contents,
                                                        RewrittenContents& rewritten) {
  const absl::string_view type_name = type ? Name(*type) : "BYTES";
  const char* expected = FieldOf(type);
  if (expected == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("input '", WireName(input), "': ", type_name,
                                                   " has no typed contents, send it in raw_input_contents"));
  }
  const absl::StatusOr<Field> filled = FilledField(input, contents);
  if (!filled.ok()) return filled.status();
  if (filled->elements > 0 && filled->name != absl::string_view(expected)) {
    return absl::InvalidArgumentError(absl::StrCat("input '", WireName(input), "' of type ", type_name,
                                                   " fills ", filled->name, ", it must fill ", expected));
  }
  if (!type) return Joined(input, contents, rewritten);
  switch (*type) {
    case DataType::kBool:
      return InPlace(contents.bool_contents());
    case DataType::kUint8:
      return Narrowed<uint8_t>(input, *type, contents.uint_contents(), rewritten);
    case DataType::kUint16:
      return Narrowed<uint16_t>(input, *type, contents.uint_contents(), rewritten);
    case DataType::kUint32:
      return InPlace(contents.uint_contents());
    case DataType::kUint64:
      return InPlace(contents.uint64_contents());
    case DataType::kInt8:
      return Narrowed<int8_t>(input, *type, contents.int_contents(), rewritten);
    case DataType::kInt16:
      return Narrowed<int16_t>(input, *type, contents.int_contents(), rewritten);
    case DataType::kInt32:
      return InPlace(contents.int_contents());
    case DataType::kInt64:
      return InPlace(contents.int64_contents());
    case DataType::kFloat32:
      return InPlace(contents.fp32_contents());
    case DataType::kFloat64:
      return InPlace(contents.fp64_contents());
    case DataType::kFloat16:
    case DataType::kBfloat16:
      break;  // refused above
  }
  return std::span<const std::byte>();
}

}  // namespace waystone
