// SPDX-License-Identifier: Apache-2.0
#include "grpc/infer_parameters.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "grpc/call_status.h"

namespace waystone {
namespace {

constexpr char kRegion[] = "shared_memory_region";
constexpr char kOffset[] = "shared_memory_offset";
constexpr char kByteSize[] = "shared_memory_byte_size";
constexpr char kClassification[] = "classification";

const inference::InferParameter* Find(const ParameterMap& parameters, const char* name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? nullptr : &found->second;
}

// A whole number from `least` up; clients send int64, some uint64.
absl::StatusOr<int64_t> Number(absl::string_view tensor, const char* name,
                               const inference::InferParameter& parameter, int64_t least) {
  std::string sent = "of another type";
  if (parameter.parameter_choice_case() == inference::InferParameter::kInt64Param) {
    if (parameter.int64_param() >= least) return parameter.int64_param();
    sent = absl::StrCat(parameter.int64_param());
  } else if (parameter.parameter_choice_case() == inference::InferParameter::kUint64Param) {
    const uint64_t value = parameter.uint64_param();
    const bool fits = value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (fits && static_cast<int64_t>(value) >= least) return static_cast<int64_t>(value);
    sent = absl::StrCat(value);
  }
  return absl::InvalidArgumentError(absl::StrCat("tensor '", WireName(tensor), "': ", name, " is ", sent,
                                                 ", it must be an int64 of at least ", least));
}

absl::StatusOr<InferParameter> Decode(const std::string& name, const inference::InferParameter& parameter,
                                      const InferCodecLimits& limits) {
  switch (parameter.parameter_choice_case()) {
    case inference::InferParameter::kBoolParam:
      return parameter.bool_param();
    case inference::InferParameter::kInt64Param:
      return parameter.int64_param();
    case inference::InferParameter::kUint64Param:
      return parameter.uint64_param();
    case inference::InferParameter::kDoubleParam:
      return parameter.double_param();
    case inference::InferParameter::kStringParam:
      WAYSTONE_RETURN_IF_ERROR(CheckLength(absl::StrCat("the value of parameter '", WireName(name), "'"),
                                           parameter.string_param().size(), limits.max_parameter_bytes));
      return parameter.string_param();
    case inference::InferParameter::PARAMETER_CHOICE_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(absl::StrCat("parameter '", WireName(name), "' has no value"));
}

}  // namespace

absl::Status CheckLength(absl::string_view what, size_t bytes, size_t max_bytes) {
  if (bytes <= max_bytes) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat(what, " has ", bytes, " bytes, the limit is ", max_bytes));
}

absl::Status CheckCount(absl::string_view what, size_t count, size_t max_count) {
  if (count <= max_count) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat(count, " ", what, " were sent, the limit is ", max_count));
}

absl::StatusOr<std::map<std::string, InferParameter>> DecodeParameters(const ParameterMap& parameters,
                                                                       const InferCodecLimits& limits) {
  WAYSTONE_RETURN_IF_ERROR(CheckCount("parameters", parameters.size(), limits.max_parameters));
  std::map<std::string, InferParameter> decoded;
  for (const auto& [name, parameter] : parameters) {
    WAYSTONE_RETURN_IF_ERROR(CheckLength("the name of a parameter", name.size(), limits.max_name_bytes));
    WAYSTONE_ASSIGN_OR_RETURN(InferParameter value, Decode(name, parameter, limits));
    decoded.emplace(name, std::move(value));
  }
  return decoded;
}

absl::StatusOr<std::optional<SharedMemoryPart>> DecodeSharedMemory(absl::string_view tensor,
                                                                   const ParameterMap& parameters,
                                                                   const InferCodecLimits& limits) {
  const inference::InferParameter* region = Find(parameters, kRegion);
  const inference::InferParameter* offset = Find(parameters, kOffset);
  const inference::InferParameter* byte_size = Find(parameters, kByteSize);
  if (region == nullptr && byte_size == nullptr && offset == nullptr) return std::nullopt;
  if (region == nullptr || byte_size == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("tensor '", WireName(tensor), "': ", kRegion, " and ",
                                                   kByteSize, " go together, one of them is missing"));
  }
  if (region->parameter_choice_case() != inference::InferParameter::kStringParam ||
      region->string_param().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor '", WireName(tensor), "': ", kRegion, " must be the name of a region"));
  }
  WAYSTONE_RETURN_IF_ERROR(
      CheckLength("the name of a region", region->string_param().size(), limits.max_name_bytes));
  SharedMemoryPart part;
  part.region = region->string_param();
  WAYSTONE_ASSIGN_OR_RETURN(const int64_t bytes, Number(tensor, kByteSize, *byte_size, 0));
  part.byte_size = static_cast<uint64_t>(bytes);
  if (offset != nullptr) {
    WAYSTONE_ASSIGN_OR_RETURN(const int64_t begin, Number(tensor, kOffset, *offset, 0));
    part.offset = static_cast<uint64_t>(begin);
  }
  return part;
}

absl::StatusOr<RequestedOutput> DecodeRequestedOutput(
    const inference::ModelInferRequest::InferRequestedOutputTensor& output, const InferCodecLimits& limits) {
  WAYSTONE_RETURN_IF_ERROR(CheckLength("the name of an output", output.name().size(), limits.max_name_bytes));
  WAYSTONE_RETURN_IF_ERROR(
      CheckCount("parameters of an output", output.parameters().size(), limits.max_parameters));
  RequestedOutput requested;
  requested.name = output.name();
  WAYSTONE_ASSIGN_OR_RETURN(requested.shared_memory,
                            DecodeSharedMemory(output.name(), output.parameters(), limits));
  if (const inference::InferParameter* classification = Find(output.parameters(), kClassification)) {
    WAYSTONE_ASSIGN_OR_RETURN(requested.classification,
                              Number(output.name(), kClassification, *classification, 1));
    if (requested.shared_memory) {
      return absl::InvalidArgumentError(absl::StrCat("output '", WireName(output.name()),
                                                     "': a classification cannot go to shared memory"));
    }
  }
  return requested;
}

}  // namespace waystone
