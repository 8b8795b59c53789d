// SPDX-License-Identifier: Apache-2.0
#include "http/json_tensor.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"

#include "base/checked_math.h"
#include "base/status.h"
#include "net/utf8.h"

namespace waystone {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

// Where the values of a tensor go, one after the other.
class Sink {
 public:
  Sink(const std::string& name, int64_t count) : name_(name), count_(count) {}
  virtual ~Sink() = default;

  absl::Status Take(element value) {
    if (value.is_array()) {
      for (const element inner : simdjson::dom::array(value.get_array().value_unsafe())) {
        WAYSTONE_RETURN_IF_ERROR(Take(inner));
      }
      return absl::OkStatus();
    }
    if (taken_ == count_) {
      return absl::InvalidArgumentError(
          absl::StrCat("input '", name_, "' has more data than the ", count_, " elements of its shape"));
    }
    if (!Store(value, taken_)) {
      return absl::InvalidArgumentError(absl::StrCat("element ", taken_, " of input '", name_, "' is ",
                                                     std::string(simdjson::minify(value)).substr(0, 40),
                                                     ", which is no ", wanted()));
    }
    ++taken_;
    return absl::OkStatus();
  }
  absl::Status Check() const {
    if (taken_ == count_) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("input '", name_, "' has ", taken_, " elements; its shape has ", count_));
  }
  std::string Release() { return std::move(bytes_); }

 protected:
  virtual bool Store(element value, int64_t index) = 0;
  virtual std::string wanted() const = 0;
  std::string bytes_;

 private:
  const std::string& name_;
  const int64_t count_;
  int64_t taken_ = 0;
};

template <typename T>
bool Convert(element value, T& number) {
  if constexpr (std::is_floating_point_v<T>) {
    double real = 0;
    if (value.get_double().get(real) != simdjson::SUCCESS) return false;
    number = static_cast<T>(real);
    return std::isfinite(number);
  } else if constexpr (std::is_unsigned_v<T>) {
    uint64_t whole = 0;
    if (value.get_uint64().get(whole) != simdjson::SUCCESS || whole > std::numeric_limits<T>::max())
      return false;
    number = static_cast<T>(whole);
    return true;
  } else {
    int64_t whole = 0;
    if (value.get_int64().get(whole) != simdjson::SUCCESS) return false;
    if (whole < std::numeric_limits<T>::min() || whole > std::numeric_limits<T>::max()) return false;
    number = static_cast<T>(whole);
    return true;
  }
}

template <typename T>
class NumberSink final : public Sink {
 public:
  NumberSink(const std::string& name, int64_t count, DataType type) : Sink(name, count), type_(type) {
    bytes_.resize(static_cast<size_t>(count) * sizeof(T));
  }

 private:
  bool Store(element value, int64_t index) override {
    T number = {};
    if (!Convert(value, number)) return false;
    std::memcpy(bytes_.data() + static_cast<size_t>(index) * sizeof(T), &number, sizeof(T));
    return true;
  }
  std::string wanted() const override { return std::string(Name(type_)); }

  const DataType type_;
};

class BoolSink final : public Sink {
 public:
  using Sink::Sink;

 private:
  bool Store(element value, int64_t) override {
    bool flag = false;
    if (value.get_bool().get(flag) != simdjson::SUCCESS) return false;
    bytes_.push_back(flag ? '\1' : '\0');
    return true;
  }
  std::string wanted() const override { return "BOOL"; }
};

class TextSink final : public Sink {
 public:
  using Sink::Sink;

 private:
  bool Store(element value, int64_t) override {
    std::string_view text;
    if (value.get_string().get(text) != simdjson::SUCCESS || text.size() > UINT32_MAX) return false;
    const auto length = static_cast<uint32_t>(text.size());
    char prefix[sizeof(length)];
    std::memcpy(prefix, &length, sizeof(length));
    bytes_.append(prefix, sizeof(length));
    bytes_.append(text);
    return true;
  }
  std::string wanted() const override { return "text for BYTES"; }
};

absl::StatusOr<std::unique_ptr<Sink>> MakeSink(const std::string& name, std::optional<DataType> type,
                                               int64_t count) {
  if (!type) return std::make_unique<TextSink>(name, count);
  const auto numbers = [&](auto zero) -> std::unique_ptr<Sink> {
    return std::make_unique<NumberSink<decltype(zero)>>(name, count, *type);
  };
  switch (*type) {
    case DataType::kBool:
      return std::make_unique<BoolSink>(name, count);
    case DataType::kUint8:
      return numbers(uint8_t{});
    case DataType::kUint16:
      return numbers(uint16_t{});
    case DataType::kUint32:
      return numbers(uint32_t{});
    case DataType::kUint64:
      return numbers(uint64_t{});
    case DataType::kInt8:
      return numbers(int8_t{});
    case DataType::kInt16:
      return numbers(int16_t{});
    case DataType::kInt32:
      return numbers(int32_t{});
    case DataType::kInt64:
      return numbers(int64_t{});
    case DataType::kFloat32:
      return numbers(float{});
    case DataType::kFloat64:
      return numbers(double{});
    case DataType::kFloat16:
    case DataType::kBfloat16:
      break;
  }
  return absl::InvalidArgumentError(absl::StrCat("input '", name, "' is ", Name(*type),
                                                 ", which has no form in JSON; send it as binary data"));
}

template <typename T>
absl::Status AppendNumbers(const std::string& name, std::span<const std::byte> data, std::string& json) {
  const size_t count = data.size() / sizeof(T);
  char text[32];
  for (size_t i = 0; i < count; ++i) {
    T number = {};
    std::memcpy(&number, data.data() + i * sizeof(T), sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(number)) {
        return absl::InvalidArgumentError(absl::StrCat(
            "element ", i, " of output '", name,
            "' is not a finite number, which JSON has no form for; ask for the output as binary data"));
      }
    }
    if (i > 0) json.push_back(',');
    json.append(text, std::to_chars(text, text + sizeof(text), number).ptr);
  }
  return absl::OkStatus();
}

absl::Status AppendTexts(const std::string& name, std::span<const std::byte> data, std::string& json) {
  bool first = true;
  while (!data.empty()) {
    uint32_t length = 0;
    if (data.size() < sizeof(length)) break;
    std::memcpy(&length, data.data(), sizeof(length));
    if (length > data.size() - sizeof(length)) break;
    data = data.subspan(sizeof(length));
    const absl::string_view text(reinterpret_cast<const char*>(data.data()), length);
    if (!IsValidUtf8(text)) {
      return absl::InvalidArgumentError(
          absl::StrCat("output '", name,
                       "' holds bytes that are no UTF-8, which JSON has no form "
                       "for; ask for the output as binary data"));
    }
    if (!first) json.push_back(',');
    first = false;
    AppendJsonString(text, json);
    data = data.subspan(length);
  }
  if (data.empty()) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("output '", name, "' is not a row of elements, each a length and its bytes"));
}

}  // namespace

absl::StatusOr<std::string> ReadJsonTensor(const std::string& name, element data,
                                           std::optional<DataType> type, const Shape& shape,
                                           size_t max_bytes) {
  if (!data.is_array())
    return absl::InvalidArgumentError(absl::StrCat("data of input '", name, "' must be an array"));
  const std::optional<int64_t> count = shape.ElementCount();
  if (!count) {
    return absl::InvalidArgumentError(
        absl::StrCat("input '", name, "' has the shape ", shape.ToString(), ", which no data can fill"));
  }
  const std::optional<uint64_t> bytes =
      CheckedMultiply<uint64_t>(static_cast<uint64_t>(*count), type ? ByteSize(*type) : sizeof(uint32_t));
  if (!bytes || *bytes > max_bytes) {
    return absl::OutOfRangeError(absl::StrCat("input '", name, "' of the shape ", shape.ToString(),
                                              " takes more than the limit of ", max_bytes, " bytes"));
  }
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<Sink> sink, MakeSink(name, type, *count));
  WAYSTONE_RETURN_IF_ERROR(sink->Take(data));
  WAYSTONE_RETURN_IF_ERROR(sink->Check());
  return sink->Release();
}

absl::Status AppendJsonTensor(const std::string& name, std::span<const std::byte> data,
                              std::optional<DataType> type, std::string& json) {
  json.push_back('[');
  absl::Status status;
  if (!type) {
    status = AppendTexts(name, data, json);
  } else {
    switch (*type) {
      case DataType::kBool:
        for (size_t i = 0; i < data.size(); ++i) {
          absl::StrAppend(&json, i > 0 ? "," : "", data[i] != std::byte{0} ? "true" : "false");
        }
        break;
      case DataType::kUint8:
        status = AppendNumbers<uint8_t>(name, data, json);
        break;
      case DataType::kUint16:
        status = AppendNumbers<uint16_t>(name, data, json);
        break;
      case DataType::kUint32:
        status = AppendNumbers<uint32_t>(name, data, json);
        break;
      case DataType::kUint64:
        status = AppendNumbers<uint64_t>(name, data, json);
        break;
      case DataType::kInt8:
        status = AppendNumbers<int8_t>(name, data, json);
        break;
      case DataType::kInt16:
        status = AppendNumbers<int16_t>(name, data, json);
        break;
      case DataType::kInt32:
        status = AppendNumbers<int32_t>(name, data, json);
        break;
      case DataType::kInt64:
        status = AppendNumbers<int64_t>(name, data, json);
        break;
      case DataType::kFloat32:
        status = AppendNumbers<float>(name, data, json);
        break;
      case DataType::kFloat64:
        status = AppendNumbers<double>(name, data, json);
        break;
      case DataType::kFloat16:
      case DataType::kBfloat16:
        status = absl::InvalidArgumentError(
            absl::StrCat("output '", name, "' is ", Name(*type),
                         ", which has no form in JSON; ask for it as binary data"));
        break;
    }
  }
  json.push_back(']');
  return status;
}

void AppendJsonString(absl::string_view text, std::string& json) {
  static constexpr char kHex[] = "0123456789abcdef";
  json.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json.push_back('\\');
      json.push_back(c);
    } else if (byte < 0x20) {
      json += "\\u00";
      json.push_back(kHex[byte >> 4]);
      json.push_back(kHex[byte & 15]);
    } else {
      json.push_back(c);
    }
  }
  json.push_back('"');
}

}  // namespace waystone
