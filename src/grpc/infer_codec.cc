// SPDX-License-Identifier: Apache-2.0
#include "grpc/infer_codec.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "base/checked_math.h"
#include "base/status.h"
#include "grpc/call_status.h"
#include "grpc/infer_contents.h"
#include "grpc/infer_parameters.h"

namespace waystone {
namespace {

using InputMessage = inference::ModelInferRequest::InferInputTensor;

constexpr char kBytes[] = "BYTES";

// What the tensors of a decoded request point into. Elements of `rewritten` may move, their bytes do not.
struct RequestMemory {
  std::shared_ptr<const inference::ModelInferRequest> message;
  RewrittenContents rewritten;
};

absl::Status CheckVersion(const std::string& version) {
  int64_t number = 0;
  const bool digits = std::all_of(version.begin(), version.end(), absl::ascii_isdigit);
  if (version.empty() || (digits && absl::SimpleAtoi(version, &number))) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("model version '", WireName(version),
                                                 "' is no whole number from 0 to ",
                                                 std::numeric_limits<int64_t>::max()));
}

absl::Status CheckRequest(const inference::ModelInferRequest& message, const InferCodecLimits& limits) {
  WAYSTONE_RETURN_IF_ERROR(
      CheckLength("the name of the model", message.model_name().size(), limits.max_name_bytes));
  WAYSTONE_RETURN_IF_ERROR(CheckLength("the id of the request", message.id().size(), limits.max_name_bytes));
  WAYSTONE_RETURN_IF_ERROR(CheckVersion(message.model_version()));
  WAYSTONE_RETURN_IF_ERROR(
      CheckCount("inputs", static_cast<size_t>(message.inputs_size()), limits.max_inputs));
  return CheckCount("outputs", static_cast<size_t>(message.outputs_size()), limits.max_outputs);
}

absl::StatusOr<std::optional<DataType>> DecodeType(const InputMessage& input) {
  if (input.datatype() == kBytes) return std::optional<DataType>();
  const std::optional<DataType> type = DataTypeFromName(input.datatype());
  if (type) return type;
  return absl::InvalidArgumentError(absl::StrCat("input '", WireName(input.name()), "' has the datatype '",
                                                 WireName(input.datatype()), "', which is none"));
}

// Name, type, shape and shared memory; where the data are is decided for all inputs together.
absl::StatusOr<InferTensor> DecodeTensor(const InputMessage& input, const InferCodecLimits& limits) {
  WAYSTONE_RETURN_IF_ERROR(CheckLength("the name of an input", input.name().size(), limits.max_name_bytes));
  WAYSTONE_RETURN_IF_ERROR(
      CheckCount("dimensions of an input", static_cast<size_t>(input.shape_size()), limits.max_rank));
  WAYSTONE_RETURN_IF_ERROR(
      CheckCount("parameters of an input", input.parameters().size(), limits.max_parameters));
  InferTensor tensor;
  tensor.name = input.name();
  WAYSTONE_ASSIGN_OR_RETURN(tensor.type, DecodeType(input));
  tensor.shape = Shape(std::vector<int64_t>(input.shape().begin(), input.shape().end()));
  WAYSTONE_ASSIGN_OR_RETURN(tensor.shared_memory,
                            DecodeSharedMemory(input.name(), input.parameters(), limits));
  if (tensor.shared_memory && input.has_contents()) {
    return absl::InvalidArgumentError(
        absl::StrCat("input '", WireName(input.name()), "' is in shared memory and has contents, too"));
  }
  return tensor;
}

// Gives each input its data. `next_raw` counts the entries of raw_input_contents that are given away.
absl::Status AttachData(const InputMessage& input, RequestMemory& memory, int& next_raw,
                        InferTensor& tensor) {
  const inference::ModelInferRequest& message = *memory.message;
  const bool raw = message.raw_input_contents_size() > 0;
  if (raw && input.has_contents()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input '", WireName(input.name()), "' has contents although the request has raw_input_contents"));
  }
  if (tensor.shared_memory) return absl::OkStatus();
  if (raw) {
    if (next_raw == message.raw_input_contents_size()) {
      return absl::InvalidArgumentError(absl::StrCat("input '", WireName(input.name()),
                                                     "' has no data: raw_input_contents has only ", next_raw,
                                                     " entries"));
    }
    const std::string& entry = message.raw_input_contents(next_raw++);
    tensor.data = std::as_bytes(std::span(entry.data(), entry.size()));
    return absl::OkStatus();
  }
  if (!input.has_contents()) {
    return absl::InvalidArgumentError(absl::StrCat("input '", WireName(input.name()), "' has no data"));
  }
  WAYSTONE_ASSIGN_OR_RETURN(tensor.data,
                            ContentBytes(input.name(), tensor.type, input.contents(), memory.rewritten));
  return absl::OkStatus();
}

absl::Status DecodeInputs(RequestMemory& memory, const InferCodecLimits& limits,
                          std::vector<InferTensor>& inputs) {
  const inference::ModelInferRequest& message = *memory.message;
  inputs.reserve(static_cast<size_t>(message.inputs_size()));
  int next_raw = 0;
  for (const InputMessage& input : message.inputs()) {
    WAYSTONE_ASSIGN_OR_RETURN(InferTensor tensor, DecodeTensor(input, limits));
    WAYSTONE_RETURN_IF_ERROR(AttachData(input, memory, next_raw, tensor));
    inputs.push_back(std::move(tensor));
  }
  if (next_raw == message.raw_input_contents_size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("raw_input_contents has ", message.raw_input_contents_size(),
                                                 " entries for ", next_raw,
                                                 " inputs that are not in shared memory"));
}

absl::Status TakeEmptyFinalResponse(std::map<std::string, InferParameter>& parameters) {
  const auto found = parameters.find(kEmptyFinalResponse);
  if (found == parameters.end()) return absl::OkStatus();
  if (!std::holds_alternative<bool>(found->second)) {
    return absl::InvalidArgumentError(absl::StrCat("parameter '", kEmptyFinalResponse, "' must be a bool"));
  }
  parameters.erase(found);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<InferRequest> DecodeInferRequest(std::shared_ptr<const inference::ModelInferRequest> message,
                                                InferOrigin origin, const InferCodecLimits& limits) {
  WAYSTONE_RETURN_IF_ERROR(CheckRequest(*message, limits));
  auto memory = std::make_shared<RequestMemory>();
  memory->message = std::move(message);
  InferRequest request;
  request.model = memory->message->model_name();
  request.version = memory->message->model_version();
  request.id = memory->message->id();
  WAYSTONE_ASSIGN_OR_RETURN(request.parameters, DecodeParameters(memory->message->parameters(), limits));
  if (origin == InferOrigin::kStream) WAYSTONE_RETURN_IF_ERROR(TakeEmptyFinalResponse(request.parameters));
  WAYSTONE_RETURN_IF_ERROR(DecodeInputs(*memory, limits, request.inputs));
  request.outputs.reserve(static_cast<size_t>(memory->message->outputs_size()));
  for (const auto& output : memory->message->outputs()) {
    WAYSTONE_ASSIGN_OR_RETURN(RequestedOutput requested, DecodeRequestedOutput(output, limits));
    request.outputs.push_back(std::move(requested));
  }
  request.memory = std::move(memory);
  return request;
}

absl::Status EncodeInferResponse(const InferResponse& response, inference::ModelInferResponse& message,
                                 uint64_t max_bytes) {
  uint64_t bytes = 0;
  for (const InferTensor& output : response.outputs) {
    const std::optional<uint64_t> sum = CheckedAdd<uint64_t>(bytes, output.data.size());
    if (!sum || *sum > max_bytes) {
      return absl::OutOfRangeError(absl::StrCat("the outputs take more than the ", max_bytes,
                                                " bytes that one answer can carry; ask for fewer of them"));
    }
    bytes = *sum;
  }
  message.set_model_name(response.model);
  message.set_model_version(response.version);
  message.set_id(response.id);
  for (const InferTensor& output : response.outputs) {
    auto& tensor = *message.add_outputs();
    tensor.set_name(output.name);
    const absl::string_view type = output.type ? Name(*output.type) : kBytes;
    tensor.set_datatype(type.data(), type.size());
    tensor.mutable_shape()->Add(output.shape.begin(), output.shape.end());
    if (output.shared_memory) {
      auto& parameters = *tensor.mutable_parameters();
      parameters["shared_memory_region"].set_string_param(output.shared_memory->region);
      parameters["shared_memory_offset"].set_int64_param(static_cast<int64_t>(output.shared_memory->offset));
      parameters["shared_memory_byte_size"].set_int64_param(
          static_cast<int64_t>(output.shared_memory->byte_size));
      message.add_raw_output_contents();
    } else {
      message.add_raw_output_contents(output.data.data(), output.data.size());
    }
  }
  return absl::OkStatus();
}

}  // namespace waystone
