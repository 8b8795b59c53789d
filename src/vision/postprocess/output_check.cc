// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/output_check.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

#include "base/checked_math.h"
#include "base/status.h"

namespace waystone {
namespace {

bool Agree(int64_t actual, int64_t wanted) {
  if (actual == kDynamicDim || wanted == kDynamicDim) return actual != 0;
  return actual == wanted;
}

bool IsFloat(DataType type) {
  return type == DataType::kFloat32 || type == DataType::kFloat16 || type == DataType::kBfloat16;
}

template <typename T, typename ToFloat>
std::vector<float> Convert(std::span<const std::byte> bytes, ToFloat to_float) {
  const std::span<const T> source(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
  std::vector<float> values(source.size());
  std::transform(source.begin(), source.end(), values.begin(), to_float);
  return values;
}

}  // namespace

std::vector<OutputForm> FormsOf(std::span<const TensorView> outputs) {
  std::vector<OutputForm> forms;
  for (const TensorView& output : outputs) forms.push_back({output.type, output.shape});
  return forms;
}

std::vector<OutputForm> FormsOf(std::span<const TensorSignature> outputs) {
  std::vector<OutputForm> forms;
  for (const TensorSignature& output : outputs) forms.push_back({output.type, output.shape});
  return forms;
}

std::string OutputName(const DecoderSpec& spec, size_t index) {
  if (index < spec.outputs.size()) return absl::StrCat("output \"", spec.outputs[index], "\"");
  return absl::StrCat("output ", index);
}

absl::Status CheckOutputCount(size_t actual, size_t wanted) {
  if (actual == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the decoder reads ", wanted, " output tensors, given ", actual, "; see decoder.outputs"));
}

absl::Status CheckOutput(const std::string& name, const OutputForm& actual, const Shape& wanted) {
  bool fits = IsFloat(actual.type) && actual.shape.rank() == wanted.rank();
  for (size_t axis = 0; fits && axis < wanted.rank(); ++axis) fits = Agree(actual.shape[axis], wanted[axis]);
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " is ", Name(actual.type), actual.shape.ToString(),
                                                 "; the decoder reads FP32, FP16 or BF16 ", wanted.ToString(),
                                                 " (-1: any size)"));
}

std::optional<int64_t> FlatRow(const Shape& shape) {
  if (shape.rank() < 2) return std::nullopt;
  int64_t length = 1;
  size_t long_axes = 0;
  for (size_t axis = 1; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) continue;
    length = shape[axis];
    ++long_axes;
  }
  return long_axes <= 1 ? std::optional(length) : std::nullopt;
}

bool IsReadable(DataType type) {
  return IsFloat(type) || type == DataType::kUint8 || type == DataType::kInt8;
}

absl::StatusOr<int64_t> ClassesWithoutBackground(const std::string& name, int64_t all, int background) {
  if (all == kDynamicDim) return kDynamicDim;
  if (all <= background) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has ", all, " classes, of which ", background, " are background"));
  }
  WAYSTONE_RETURN_IF_ERROR(CheckClassCount(name, all));
  return all - background;
}

absl::Status CheckClassCount(const std::string& name, int64_t classes) {
  constexpr int64_t kMaxClasses = 100000;
  if (classes <= kMaxClasses) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " has ", classes, " classes; the limit is ", kMaxClasses));
}

absl::StatusOr<OutputRow> OutputRow::Read(const TensorView& output, int64_t row, const std::string& name) {
  const int64_t rows = output.shape.rank() == 0 ? 0 : output.shape[0];
  if (row < 0 || row >= rows) {
    return absl::InvalidArgumentError(
        absl::StrCat("row ", row, " of ", name, ", whose shape is ", output.shape.ToString()));
  }
  const std::optional<int64_t> count = output.shape.ElementCount();
  const std::optional<uint64_t> size =
      count.has_value() ? CheckedMultiply<uint64_t>(static_cast<uint64_t>(*count), ByteSize(output.type))
                        : std::nullopt;
  if (size != output.data.size()) {
    return absl::InvalidArgumentError(absl::StrCat(name, " has ", output.data.size(),
                                                   " bytes, which is not the size of ", Name(output.type),
                                                   output.shape.ToString()));
  }
  const size_t row_bytes = output.data.size() / static_cast<size_t>(rows);
  const std::span<const std::byte> bytes =
      output.data.subspan(static_cast<size_t>(row) * row_bytes, row_bytes);
  OutputRow result;
  switch (output.type) {
    case DataType::kFloat32:
      result.values_ = {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
      return result;
    case DataType::kFloat16:
      result.converted_ = Convert<uint16_t>(bytes, HalfToFloat);
      break;
    case DataType::kBfloat16:
      result.converted_ = Convert<uint16_t>(bytes, Bfloat16ToFloat);
      break;
    case DataType::kUint8:
      result.converted_ = Convert<uint8_t>(bytes, [](uint8_t value) { return static_cast<float>(value); });
      break;
    case DataType::kInt8:
      result.converted_ = Convert<int8_t>(bytes, [](int8_t value) { return static_cast<float>(value); });
      break;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat(name, " is ", Name(output.type), "; decoders read FP32, FP16, BF16, UINT8 or INT8"));
  }
  result.values_ = result.converted_;
  return result;
}

}  // namespace waystone
