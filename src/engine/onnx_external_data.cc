// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx_external_data.h"

#include <array>
#include <cstdint>
#include <optional>

#include "base/status.h"

namespace waystone {
namespace {

constexpr int kDeepest = 100;  // as protobuf's own limit

enum class Message { kModel, kGraph, kNode, kAttribute, kTensor, kSparseTensor, kFunction, kTraining };

struct Child {
  Message parent;
  uint64_t field;
  Message message;
};
constexpr std::array<Child, 18> kChildren = {{{Message::kModel, 7, Message::kGraph},
                                              {Message::kModel, 20, Message::kTraining},
                                              {Message::kModel, 25, Message::kFunction},
                                              {Message::kGraph, 1, Message::kNode},
                                              {Message::kGraph, 5, Message::kTensor},
                                              {Message::kGraph, 15, Message::kSparseTensor},
                                              {Message::kNode, 5, Message::kAttribute},
                                              {Message::kAttribute, 5, Message::kTensor},
                                              {Message::kAttribute, 6, Message::kGraph},
                                              {Message::kAttribute, 10, Message::kTensor},
                                              {Message::kAttribute, 11, Message::kGraph},
                                              {Message::kAttribute, 22, Message::kSparseTensor},
                                              {Message::kAttribute, 23, Message::kSparseTensor},
                                              {Message::kSparseTensor, 1, Message::kTensor},
                                              {Message::kSparseTensor, 2, Message::kTensor},
                                              {Message::kFunction, 7, Message::kNode},
                                              {Message::kTraining, 1, Message::kGraph},
                                              {Message::kTraining, 2, Message::kGraph}}};
constexpr uint64_t kFunctionAttribute = 11;   // FunctionProto.attribute_proto
constexpr uint64_t kTensorExternalData = 13;  // TensorProto.external_data
constexpr uint64_t kTensorDataLocation = 14;  // TensorProto.data_location

std::optional<Message> ChildMessage(Message parent, uint64_t field) {
  if (parent == Message::kFunction && field == kFunctionAttribute) return Message::kAttribute;
  for (const Child& child : kChildren) {
    if (child.parent == parent && child.field == field) return child.message;
  }
  return std::nullopt;
}

absl::Status Broken() {
  return absl::InvalidArgumentError("the bytes are no ONNX model: not a protobuf message");
}

// Takes a varint off the front of `bytes`.
std::optional<uint64_t> TakeVarint(std::string_view& bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < 10 && i < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

struct Field {
  uint64_t number = 0;
  uint64_t varint = 0;       // of a varint field
  std::string_view content;  // of a length-delimited field
};

std::optional<Field> TakeField(std::string_view& bytes) {
  const std::optional<uint64_t> key = TakeVarint(bytes);
  if (!key || (*key >> 3) == 0) return std::nullopt;
  Field field = {*key >> 3, 0, {}};
  uint64_t length = 0;
  switch (*key & 7) {
    case 0: {
      const std::optional<uint64_t> value = TakeVarint(bytes);
      if (!value) return std::nullopt;
      field.varint = *value;
      return field;
    }
    case 1:
      length = 8;
      break;
    case 2: {
      const std::optional<uint64_t> said = TakeVarint(bytes);
      if (!said) return std::nullopt;
      length = *said;
      break;
    }
    case 5:
      length = 4;
      break;
    default:  // groups, which ONNX has not
      return std::nullopt;
  }
  if (length > bytes.size()) return std::nullopt;
  if ((*key & 7) == 2) field.content = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return field;
}

absl::StatusOr<bool> Search(Message message, std::string_view bytes, int depth) {
  if (depth > kDeepest) return absl::InvalidArgumentError("the ONNX model nests more than 100 messages");
  while (!bytes.empty()) {
    const std::optional<Field> field = TakeField(bytes);
    if (!field) return Broken();
    if (message == Message::kTensor) {
      if (field->number == kTensorExternalData) return true;
      if (field->number == kTensorDataLocation && field->varint != 0) return true;
      continue;
    }
    const std::optional<Message> child = ChildMessage(message, field->number);
    if (!child) continue;
    WAYSTONE_ASSIGN_OR_RETURN(const bool found, Search(*child, field->content, depth + 1));
    if (found) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<bool> HasExternalData(std::string_view bytes) { return Search(Message::kModel, bytes, 0); }

}  // namespace waystone
