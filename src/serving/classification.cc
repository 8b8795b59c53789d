// SPDX-License-Identifier: Apache-2.0
#include "serving/classification.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "base/status.h"

namespace waystone {
namespace {

void AppendElement(const std::string& text, std::string& data) {
  const uint32_t length = static_cast<uint32_t>(text.size());
  char bytes[sizeof(length)];
  std::memcpy(bytes, &length, sizeof(length));
  data.append(bytes, sizeof(length));
  data += text;
}

template <typename T>
std::string Text(T value) {
  if constexpr (std::is_floating_point_v<T>) return absl::StrFormat("%f", value);
  return absl::StrCat(value);
}

// False before everything where it is not a number.
template <typename T>
bool Larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  }
  return a > b;
}

template <typename T>
void AppendLargest(std::span<const T> item, size_t most, const std::vector<std::string>& labels,
                   std::string& data) {
  std::vector<size_t> order(item.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(most), order.end(),
                    [&item](size_t a, size_t b) {
                      if (Larger(item[a], item[b])) return true;
                      return !Larger(item[b], item[a]) && a < b;
                    });
  for (size_t place = 0; place < most; ++place) {
    const size_t index = order[place];
    std::string text = absl::StrCat(Text(item[index]), ":", index);
    if (index < labels.size()) absl::StrAppend(&text, ":", labels[index]);
    AppendElement(text, data);
  }
}

template <typename T>
BytesTensor ClassifyAs(std::span<const T> values, int64_t rows, bool batched, int64_t most,
                       const std::vector<std::string>& labels) {
  const size_t item = values.size() / static_cast<size_t>(rows);
  const size_t count = std::min(item, static_cast<size_t>(most));
  BytesTensor result;
  const int64_t k = static_cast<int64_t>(count);
  result.shape = batched ? Shape({rows, k}) : Shape({k});
  for (int64_t row = 0; row < rows; ++row) {
    AppendLargest(values.subspan(static_cast<size_t>(row) * item, item), count, labels, result.data);
  }
  return result;
}

std::vector<float> Widened(const TensorView& tensor) {
  std::vector<float> values;
  for (const uint16_t bits : tensor.As<uint16_t>()) {
    values.push_back(tensor.type == DataType::kFloat16 ? HalfToFloat(bits) : Bfloat16ToFloat(bits));
  }
  return values;
}

}  // namespace

absl::StatusOr<BytesTensor> Classify(const TensorView& tensor, bool batched, int64_t most,
                                     const std::vector<std::string>& labels) {
  const int64_t rows = batched && tensor.shape.rank() > 0 ? tensor.shape[0] : 1;
  if (rows < 1) return absl::InvalidArgumentError("there is nothing to classify: the batch is empty");
  const auto as = [&](auto values) {
    using T = typename decltype(values)::value_type;
    return ClassifyAs(std::span<const T>(values), rows, batched, most, labels);
  };
  switch (tensor.type) {
    case DataType::kUint8:
      return as(tensor.As<uint8_t>());
    case DataType::kUint16:
      return as(tensor.As<uint16_t>());
    case DataType::kUint32:
      return as(tensor.As<uint32_t>());
    case DataType::kUint64:
      return as(tensor.As<uint64_t>());
    case DataType::kInt8:
      return as(tensor.As<int8_t>());
    case DataType::kInt16:
      return as(tensor.As<int16_t>());
    case DataType::kInt32:
      return as(tensor.As<int32_t>());
    case DataType::kInt64:
      return as(tensor.As<int64_t>());
    case DataType::kFloat16:
    case DataType::kBfloat16:
      return as(Widened(tensor));
    case DataType::kFloat32:
      return as(tensor.As<float>());
    case DataType::kFloat64:
      return as(tensor.As<double>());
    case DataType::kBool:
      break;
  }
  return absl::InvalidArgumentError(absl::StrCat("classification of ", Name(tensor.type), " has no order"));
}

}  // namespace waystone
