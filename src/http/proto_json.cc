// SPDX-License-Identifier: Apache-2.0
#include "http/proto_json.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <nlohmann/json.hpp>

namespace waystone {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Json = nlohmann::ordered_json;

Json WriteMessage(const Message& message);

// Element `index` of a repeated field, or the field itself where `index` is negative.
Json WriteValue(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& reflection = *message.GetReflection();
  const bool one = index < 0;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return one ? reflection.GetInt32(message, &field) : reflection.GetRepeatedInt32(message, &field, index);
    case FieldDescriptor::CPPTYPE_INT64:
      return one ? reflection.GetInt64(message, &field) : reflection.GetRepeatedInt64(message, &field, index);
    case FieldDescriptor::CPPTYPE_UINT32:
      return one ? reflection.GetUInt32(message, &field)
                 : reflection.GetRepeatedUInt32(message, &field, index);
    case FieldDescriptor::CPPTYPE_UINT64:
      return one ? reflection.GetUInt64(message, &field)
                 : reflection.GetRepeatedUInt64(message, &field, index);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return one ? reflection.GetDouble(message, &field)
                 : reflection.GetRepeatedDouble(message, &field, index);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return one ? reflection.GetFloat(message, &field) : reflection.GetRepeatedFloat(message, &field, index);
    case FieldDescriptor::CPPTYPE_BOOL:
      return one ? reflection.GetBool(message, &field) : reflection.GetRepeatedBool(message, &field, index);
    case FieldDescriptor::CPPTYPE_ENUM:
      return (one ? reflection.GetEnum(message, &field) : reflection.GetRepeatedEnum(message, &field, index))
          ->name();
    case FieldDescriptor::CPPTYPE_STRING:
      return one ? reflection.GetString(message, &field)
                 : reflection.GetRepeatedString(message, &field, index);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return WriteMessage(one ? reflection.GetMessage(message, &field)
                              : reflection.GetRepeatedMessage(message, &field, index));
  }
  return {};
}

Json WriteMap(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  Json map = Json::object();
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
    const Json key = WriteValue(entry, *entry.GetDescriptor()->map_key(), -1);
    map[key.is_string() ? key.get<std::string>() : key.dump()] =
        WriteValue(entry, *entry.GetDescriptor()->map_value(), -1);
  }
  return map;
}

Json WriteMessage(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  Json json = Json::object();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (field.is_map()) {
      json[field.name()] = WriteMap(message, field);
    } else if (field.is_repeated()) {
      Json list = Json::array();
      for (int at = 0; at < reflection.FieldSize(message, &field); ++at) {
        list.push_back(WriteValue(message, field, at));
      }
      json[field.name()] = std::move(list);
    } else if (!field.has_presence() || reflection.HasField(message, &field)) {
      json[field.name()] = WriteValue(message, field, -1);
    }
  }
  return json;
}

}  // namespace

std::string ProtoToJson(const Message& message) {
  return WriteMessage(message).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace waystone
