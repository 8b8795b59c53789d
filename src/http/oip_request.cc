// SPDX-License-Identifier: Apache-2.0
#include "http/oip_request.h"

#include <algorithm>
#include <memory>
#include <simdjson.h>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "base/log.h"
#include "base/status.h"
#include "http/json_tensor.h"

namespace waystone {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr size_t kMostTensors = 1024;
constexpr size_t kMostDims = 64;
constexpr size_t kMostParameters = 256;

// What the tensors of a request point to.
struct Body {
  std::string bytes;
  std::vector<std::unique_ptr<const std::string>> typed;  // tensors that came as JSON
};

// Parameters of one object, by name.
using Parameters = std::map<std::string, InferParameter>;

absl::StatusOr<InferParameter> ReadParameter(const std::string& name, element value) {
  switch (value.type()) {
    case simdjson::dom::element_type::BOOL:
      return InferParameter(value.get_bool().value_unsafe());
    case simdjson::dom::element_type::INT64:
      return InferParameter(value.get_int64().value_unsafe());
    case simdjson::dom::element_type::UINT64:
      return InferParameter(value.get_uint64().value_unsafe());
    case simdjson::dom::element_type::DOUBLE:
      return InferParameter(value.get_double().value_unsafe());
    case simdjson::dom::element_type::STRING:
      return InferParameter(std::string(value.get_string().value_unsafe()));
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("parameter '", LogSafe(name), "' must be a bool, a number or text"));
  }
}

absl::StatusOr<Parameters> ReadParameters(object from) {
  Parameters parameters;
  element value;
  if (from["parameters"].get(value) != simdjson::SUCCESS) return parameters;
  object members;
  if (value.get_object().get(members) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError("parameters must be an object");
  }
  for (const auto& member : members) {
    if (parameters.size() == kMostParameters) {
      return absl::InvalidArgumentError(absl::StrCat("more than ", kMostParameters, " parameters"));
    }
    const std::string name(member.key);
    WAYSTONE_ASSIGN_OR_RETURN(parameters[name], ReadParameter(name, member.value));
  }
  return parameters;
}

// Takes a parameter out; nothing where it is not there.
std::optional<InferParameter> Take(Parameters& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return std::nullopt;
  InferParameter value = std::move(found->second);
  parameters.erase(found);
  return value;
}

absl::StatusOr<bool> TakeBool(Parameters& parameters, const std::string& name, bool otherwise) {
  const std::optional<InferParameter> value = Take(parameters, name);
  if (!value) return otherwise;
  if (const bool* flag = std::get_if<bool>(&*value)) return *flag;
  return absl::InvalidArgumentError(absl::StrCat("parameter '", name, "' must be true or false"));
}

absl::StatusOr<std::optional<uint64_t>> TakeSize(Parameters& parameters, const std::string& name) {
  const std::optional<InferParameter> value = Take(parameters, name);
  if (!value) return std::nullopt;
  if (const auto* size = std::get_if<int64_t>(&*value); size != nullptr && *size >= 0) {
    return static_cast<uint64_t>(*size);
  }
  if (const auto* size = std::get_if<uint64_t>(&*value)) return *size;
  return absl::InvalidArgumentError(absl::StrCat("parameter '", name, "' must be a whole number from 0"));
}

absl::StatusOr<std::optional<SharedMemoryPart>> TakeSharedMemory(Parameters& parameters) {
  const std::optional<InferParameter> region = Take(parameters, "shared_memory_region");
  WAYSTONE_ASSIGN_OR_RETURN(const std::optional<uint64_t> size,
                            TakeSize(parameters, "shared_memory_byte_size"));
  WAYSTONE_ASSIGN_OR_RETURN(const std::optional<uint64_t> offset,
                            TakeSize(parameters, "shared_memory_offset"));
  if (!region && !size && !offset) return std::nullopt;
  const std::string* name = region ? std::get_if<std::string>(&*region) : nullptr;
  if (name == nullptr || !size) {
    return absl::InvalidArgumentError("shared_memory_region (text) and shared_memory_byte_size go together");
  }
  return SharedMemoryPart{*name, offset.value_or(0), *size};
}

absl::StatusOr<std::string> Text(object from, const char* key, const std::string& of) {
  std::string_view text;
  if (from[key].get_string().get(text) == simdjson::SUCCESS) return std::string(text);
  return absl::InvalidArgumentError(absl::StrCat(of, " has no '", key, "', which must be text"));
}

absl::StatusOr<Shape> ReadShape(object input, const std::string& name) {
  simdjson::dom::array dims;
  if (input["shape"].get_array().get(dims) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError(
        absl::StrCat("input '", name, "' has no 'shape', which must be an array"));
  }
  std::vector<int64_t> sizes;
  for (const element dim : dims) {
    int64_t size = 0;
    if (dim.get_int64().get(size) != simdjson::SUCCESS || size < 0 || sizes.size() == kMostDims) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape of input '", name, "' must be up to ", kMostDims, " whole numbers from 0"));
    }
    sizes.push_back(size);
  }
  return Shape(std::move(sizes));
}

absl::StatusOr<std::optional<DataType>> ReadType(object input, const std::string& name) {
  WAYSTONE_ASSIGN_OR_RETURN(const std::string text,
                            Text(input, "datatype", absl::StrCat("input '", name, "'")));
  if (text == "BYTES") return std::nullopt;
  const std::optional<DataType> type = DataTypeFromName(text);
  if (type) return type;
  return absl::InvalidArgumentError(
      absl::StrCat("datatype of input '", name, "' is '", LogSafe(text), "', which there is not"));
}

class Reader {
 public:
  Reader(Body& body, size_t json_bytes, const OipLimits& limits)
      : body_(body),
        rest_(std::as_bytes(std::span(body.bytes.data(), body.bytes.size())).subspan(json_bytes)),
        json_bytes_(json_bytes),
        limits_(limits) {}

  absl::Status ReadInput(object input, InferTensor& tensor) {
    WAYSTONE_ASSIGN_OR_RETURN(tensor.name, Text(input, "name", "an input"));
    tensor.name = LogSafe(tensor.name);
    WAYSTONE_ASSIGN_OR_RETURN(tensor.shape, ReadShape(input, tensor.name));
    WAYSTONE_ASSIGN_OR_RETURN(tensor.type, ReadType(input, tensor.name));
    WAYSTONE_ASSIGN_OR_RETURN(Parameters parameters, ReadParameters(input));
    WAYSTONE_ASSIGN_OR_RETURN(tensor.shared_memory, TakeSharedMemory(parameters));
    WAYSTONE_ASSIGN_OR_RETURN(const std::optional<uint64_t> binary, TakeSize(parameters, "binary_data_size"));
    element data;
    const bool has_data = input["data"].get(data) == simdjson::SUCCESS;
    if ((has_data ? 1 : 0) + (binary ? 1 : 0) + (tensor.shared_memory ? 1 : 0) != 1) {
      return absl::InvalidArgumentError(absl::StrCat("input '", tensor.name,
                                                     "' must have exactly one of data, binary_data_size and "
                                                     "shared_memory_region"));
    }
    if (binary) return TakeBinary(*binary, tensor);
    return has_data ? TakeJson(data, tensor) : absl::OkStatus();
  }
  absl::Status CheckEnd() const {
    if (rest_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(rest_.size(), " bytes of binary data belong to no input"));
  }

 private:
  absl::Status TakeBinary(uint64_t size, InferTensor& tensor) {
    if (size > rest_.size()) {
      return absl::InvalidArgumentError(absl::StrCat("input '", tensor.name, "' has ", size,
                                                     " bytes of binary data; the body has ", rest_.size(),
                                                     " left for it"));
    }
    tensor.data = rest_.first(size);
    rest_ = rest_.subspan(size);
    return absl::OkStatus();
  }
  absl::Status TakeJson(element data, InferTensor& tensor) {
    // An element takes at least a character and a comma, so a shape of more than that is not filled.
    const std::optional<int64_t> count = tensor.shape.ElementCount();
    if (count && static_cast<uint64_t>(*count) > json_bytes_) {
      return absl::InvalidArgumentError(absl::StrCat(
          "input '", tensor.name, "' has fewer elements than its shape ", tensor.shape.ToString()));
    }
    WAYSTONE_ASSIGN_OR_RETURN(std::string typed, ReadJsonTensor(tensor.name, data, tensor.type, tensor.shape,
                                                                limits_.max_tensor_bytes));
    body_.typed.push_back(std::make_unique<const std::string>(std::move(typed)));
    tensor.data = std::as_bytes(std::span(body_.typed.back()->data(), body_.typed.back()->size()));
    return absl::OkStatus();
  }

  Body& body_;
  std::span<const std::byte> rest_;
  const size_t json_bytes_;
  const OipLimits& limits_;
};

absl::Status ReadOutput(object output, OipRequest& request) {
  RequestedOutput wanted;
  WAYSTONE_ASSIGN_OR_RETURN(wanted.name, Text(output, "name", "an output"));
  WAYSTONE_ASSIGN_OR_RETURN(Parameters parameters, ReadParameters(output));
  WAYSTONE_ASSIGN_OR_RETURN(wanted.shared_memory, TakeSharedMemory(parameters));
  WAYSTONE_ASSIGN_OR_RETURN(const std::optional<uint64_t> classes, TakeSize(parameters, "classification"));
  const bool states_binary = parameters.contains("binary_data");
  WAYSTONE_ASSIGN_OR_RETURN(const bool binary,
                            TakeBool(parameters, "binary_data", request.binary_by_default));
  if (classes) {
    if (*classes < 1 || *classes > INT32_MAX) {
      return absl::InvalidArgumentError(
          absl::StrCat("classification of output '", LogSafe(wanted.name), "' must be 1 or more"));
    }
    wanted.classification = static_cast<int64_t>(*classes);
  }
  if (wanted.shared_memory && (classes || (states_binary && binary))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "output '", LogSafe(wanted.name), "' cannot go to shared memory and be classified or binary"));
  }
  request.infer.outputs.push_back(std::move(wanted));
  request.binary_outputs.push_back(binary);
  return absl::OkStatus();
}

absl::Status ReadArray(object root, const char* key, const std::function<absl::Status(object)>& read) {
  simdjson::dom::array list;
  if (root[key].get_array().get(list) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError(absl::StrCat("'", key, "' must be an array of objects"));
  }
  size_t count = 0;
  for (const element item : list) {
    object members;
    if (item.get_object().get(members) != simdjson::SUCCESS || ++count > kMostTensors) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", key, "' must be an array of up to ", kMostTensors, " objects"));
    }
    WAYSTONE_RETURN_IF_ERROR(read(members));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<uint64_t>> ReadJsonLength(const std::string& header, size_t body_bytes) {
  if (header.empty()) return std::nullopt;
  uint64_t length = 0;
  const bool digits = header.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || !absl::SimpleAtoi(header, &length) || length > INT32_MAX || length > body_bytes) {
    return absl::InvalidArgumentError(absl::StrCat("Inference-Header-Content-Length is '", LogSafe(header),
                                                   "'; it must be a whole number up to the ", body_bytes,
                                                   " bytes of the body"));
  }
  return length;
}

absl::StatusOr<OipRequest> ReadOipRequest(std::string bytes, std::optional<uint64_t> json_length,
                                          const OipLimits& limits) {
  auto body = std::make_shared<Body>();
  body->bytes = std::move(bytes);
  const size_t json_bytes = json_length.value_or(body->bytes.size());
  if (json_bytes > limits.max_json_bytes) {
    return absl::OutOfRangeError(absl::StrCat("the JSON has ", json_bytes, " bytes, more than the limit of ",
                                              limits.max_json_bytes, "; send tensors as binary data"));
  }
  simdjson::dom::parser parser;
  if (parser.allocate(json_bytes, limits.max_depth) != simdjson::SUCCESS) {
    return absl::ResourceExhaustedError("no memory to read the JSON");
  }
  element root;
  if (const simdjson::error_code error = parser.parse(body->bytes.data(), json_bytes).get(root);
      error != simdjson::SUCCESS) {
    return absl::InvalidArgumentError(
        absl::StrCat("the JSON cannot be read: ", simdjson::error_message(error)));
  }
  object members;
  if (root.get_object().get(members) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError("the body must be a JSON object");
  }
  OipRequest request;
  std::string_view id;
  if (element value; members["id"].get(value) == simdjson::SUCCESS) {
    if (value.get_string().get(id) != simdjson::SUCCESS)
      return absl::InvalidArgumentError("'id' must be text");
    request.infer.id = std::string(id);
  }
  WAYSTONE_ASSIGN_OR_RETURN(request.infer.parameters, ReadParameters(members));
  WAYSTONE_ASSIGN_OR_RETURN(request.binary_by_default,
                            TakeBool(request.infer.parameters, "binary_data_output", false));
  Reader reader(*body, json_bytes, limits);
  WAYSTONE_RETURN_IF_ERROR(ReadArray(members, "inputs", [&](object input) {
    return reader.ReadInput(input, request.infer.inputs.emplace_back());
  }));
  WAYSTONE_RETURN_IF_ERROR(reader.CheckEnd());
  if (element ignored; members["outputs"].get(ignored) == simdjson::SUCCESS) {
    WAYSTONE_RETURN_IF_ERROR(
        ReadArray(members, "outputs", [&](object output) { return ReadOutput(output, request); }));
  }
  // Where no tensor lies in it the text is not needed any more, and it may be long.
  const bool binary = json_bytes < body->bytes.size();
  if (!binary) body->bytes = {};
  request.infer.memory_bytes = body->bytes.size();
  for (const auto& typed : body->typed) request.infer.memory_bytes += typed->size();
  request.infer.memory = std::move(body);
  return request;
}

}  // namespace waystone
