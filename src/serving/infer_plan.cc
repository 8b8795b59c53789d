// SPDX-License-Identifier: Apache-2.0
#include "serving/infer_plan.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include "base/checked_math.h"
#include "base/log.h"
#include "base/status.h"
#include "scheduler/job.h"

namespace waystone {
namespace {

constexpr size_t kMostTensors = 1024;  // of a request, before any is looked at

std::string WireName(const std::optional<DataType>& type) {
  return type ? std::string(Name(*type)) : "BYTES";
}

template <typename Tensors>
std::optional<size_t> IndexOf(const Tensors& tensors, const std::string& name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&name](const auto& tensor) { return tensor.name == name; });
  if (found == tensors.end()) return std::nullopt;
  return static_cast<size_t>(found - tensors.begin());
}

absl::Status CheckShape(const InferTensor& given, const TensorSignature& wanted, bool batched) {
  const auto mismatch = [&] {
    return absl::InvalidArgumentError(absl::StrCat("input '", wanted.name, "' has the shape ",
                                                   given.shape.ToString(), "; the model takes ",
                                                   wanted.shape.ToString(), " (-1: any size)"));
  };
  if (given.shape.rank() != wanted.shape.rank()) return mismatch();
  for (size_t axis = 0; axis < wanted.shape.rank(); ++axis) {
    if (given.shape[axis] < 0) return mismatch();
    const bool open = wanted.shape[axis] == kDynamicDim;
    if (!open && given.shape[axis] != wanted.shape[axis]) return mismatch();
  }
  if (batched && given.shape[0] < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("input '", wanted.name, "' has a batch of ", given.shape[0], "; the least is 1"));
  }
  return absl::OkStatus();
}

absl::Status CheckSize(const InferTensor& given) {
  const std::optional<int64_t> count = given.shape.ElementCount();
  const std::optional<uint64_t> bytes =
      count ? CheckedMultiply<uint64_t>(static_cast<uint64_t>(*count), ByteSize(*given.type)) : std::nullopt;
  if (bytes == given.data.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("input '", given.name, "' has ", given.data.size(), " bytes; ", Name(*given.type),
                   given.shape.ToString(),
                   bytes ? absl::StrCat(" takes ", *bytes) : std::string(" is more than any machine holds")));
}

// The elements of a BYTES tensor, one a row.
absl::StatusOr<std::vector<std::string_view>> ReadPictures(const InferTensor& given) {
  const std::optional<int64_t> count = given.shape.ElementCount();
  const bool flat = given.shape.rank() == 1 || (given.shape.rank() == 2 && given.shape[1] == 1);
  if (!count || !flat || *count < 1) {
    return absl::InvalidArgumentError(absl::StrCat("input '", given.name,
                                                   "' holds encoded pictures of the shape ",
                                                   given.shape.ToString(), "; it must be [n] or [n,1]"));
  }
  std::vector<std::string_view> pictures;
  std::span<const std::byte> rest = given.data;
  while (!rest.empty()) {
    uint32_t length = 0;
    if (rest.size() < sizeof(length)) break;
    std::memcpy(&length, rest.data(), sizeof(length));
    rest = rest.subspan(sizeof(length));
    if (length > rest.size() || pictures.size() == static_cast<size_t>(*count)) break;
    if (length == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("element ", pictures.size(), " of input '", given.name, "' is empty"));
    }
    pictures.emplace_back(reinterpret_cast<const char*>(rest.data()), length);
    rest = rest.subspan(length);
  }
  if (!rest.empty() || pictures.size() != static_cast<size_t>(*count)) {
    return absl::InvalidArgumentError(absl::StrCat("the ", given.data.size(), " bytes of input '", given.name,
                                                   "' are not ", *count,
                                                   " elements, each a length and its bytes"));
  }
  return pictures;
}

absl::Status PlanInput(const InferTensor& given, size_t index, const InferSignature& signature,
                       InferPlan& plan) {
  const TensorSignature& wanted = signature.tensors.inputs[index];
  if (given.shared_memory.has_value()) {
    return absl::UnimplementedError(absl::StrCat(
        "input '", given.name, "' lies in shared memory, which this server was not started with"));
  }
  if (!given.type.has_value() && signature.picture_input == index) {
    WAYSTONE_ASSIGN_OR_RETURN(plan.pictures, ReadPictures(given));
    std::vector<int64_t> dims = wanted.shape.dims();
    const int64_t given_rows = static_cast<int64_t>(plan.pictures.size());
    if (signature.max_batch == 0 && given_rows != dims[0]) {
      return absl::InvalidArgumentError(
          absl::StrCat("input '", given.name, "' has ", given_rows, " pictures; the model takes ", dims[0]));
    }
    dims[0] = given_rows;
    plan.inputs[index] = {wanted.type, Shape(std::move(dims)), {}};
    return absl::OkStatus();
  }
  if (given.type != wanted.type) {
    return absl::InvalidArgumentError(absl::StrCat("input '", wanted.name, "' is ", WireName(given.type),
                                                   "; the model takes ", Name(wanted.type)));
  }
  WAYSTONE_RETURN_IF_ERROR(CheckShape(given, wanted, signature.max_batch > 0));
  WAYSTONE_RETURN_IF_ERROR(CheckSize(given));
  // Runs only read their inputs.
  std::byte* data = const_cast<std::byte*>(given.data.data());
  plan.inputs[index] = {*given.type, given.shape, {data, given.data.size()}};
  return absl::OkStatus();
}

absl::Status PlanOutputs(const InferRequest& request, const InferSignature& signature, InferPlan& plan) {
  const std::vector<TensorSignature>& known = signature.tensors.outputs;
  std::vector<bool> asked(known.size(), false);
  for (const RequestedOutput& output : request.outputs) {
    const std::optional<size_t> index = IndexOf(known, output.name);
    if (!index) {
      return absl::InvalidArgumentError(absl::StrCat("the model has no output '", LogSafe(output.name), "'"));
    }
    if (asked[*index]) {
      return absl::InvalidArgumentError(absl::StrCat("output '", output.name, "' is asked for twice"));
    }
    asked[*index] = true;
    if (output.classification < 0) {
      return absl::InvalidArgumentError(absl::StrCat("classification of output '", output.name, "' is ",
                                                     output.classification, "; it must be 1 or more"));
    }
    if (output.shared_memory.has_value()) {
      return absl::UnimplementedError(
          absl::StrCat("output '", output.name,
                       "' is to be written to shared memory, which this server was "
                       "not started with"));
    }
    plan.outputs.push_back({*index, output.classification});
  }
  if (!plan.outputs.empty()) return absl::OkStatus();
  for (size_t index = 0; index < known.size(); ++index) plan.outputs.push_back({index, 0});
  return absl::OkStatus();
}

bool IsTrue(const InferParameter& value) {
  const bool* flag = std::get_if<bool>(&value);
  return flag != nullptr && *flag;
}

std::optional<uint64_t> Unsigned(const InferParameter& value) {
  if (const auto* number = std::get_if<uint64_t>(&value)) return *number;
  if (const auto* number = std::get_if<int64_t>(&value); number != nullptr && *number >= 0) {
    return static_cast<uint64_t>(*number);
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<InferPlan> PlanInfer(const InferRequest& request, const InferSignature& signature) {
  const std::vector<TensorSignature>& wanted = signature.tensors.inputs;
  if (request.inputs.size() > kMostTensors || request.outputs.size() > kMostTensors) {
    return absl::InvalidArgumentError(absl::StrCat("the request names ", request.inputs.size(),
                                                   " inputs and ", request.outputs.size(),
                                                   " outputs; the limit is ", kMostTensors, " each"));
  }
  InferPlan plan;
  plan.inputs.resize(wanted.size());
  std::vector<bool> given(wanted.size(), false);
  for (const InferTensor& input : request.inputs) {
    const std::optional<size_t> index = IndexOf(wanted, input.name);
    if (!index) {
      return absl::InvalidArgumentError(absl::StrCat("the model has no input '", LogSafe(input.name), "'"));
    }
    if (given[*index]) {
      return absl::InvalidArgumentError(absl::StrCat("input '", input.name, "' is given twice"));
    }
    given[*index] = true;
    WAYSTONE_RETURN_IF_ERROR(PlanInput(input, *index, signature, plan));
  }
  for (size_t index = 0; index < wanted.size(); ++index) {
    if (!given[index]) {
      return absl::InvalidArgumentError(absl::StrCat("input '", wanted[index].name, "' is missing"));
    }
    if (signature.max_batch == 0) continue;
    const int64_t rows = plan.inputs[index].shape[0];
    if (index > 0 && rows != plan.rows) {
      return absl::InvalidArgumentError(absl::StrCat("input '", wanted[index].name, "' has a batch of ", rows,
                                                     ", input '", wanted[0].name, "' one of ", plan.rows));
    }
    plan.rows = rows;
  }
  WAYSTONE_RETURN_IF_ERROR(PlanOutputs(request, signature, plan));
  return plan;
}

absl::StatusOr<InferTerms> ReadParameters(const InferRequest& request) {
  InferTerms terms;
  terms.deadline = request.deadline;
  for (const auto& [name, value] : request.parameters) {
    if (name == "priority") {
      const std::optional<uint64_t> number = Unsigned(value);
      if (!number) return absl::InvalidArgumentError("parameter 'priority' must be a whole number from 0");
      terms.priority = static_cast<int>(std::min<uint64_t>(*number, kLowestPriority));
    } else if (name == "timeout") {
      const std::optional<uint64_t> microseconds = Unsigned(value);
      if (!microseconds) {
        return absl::InvalidArgumentError("parameter 'timeout' must be a whole number of microseconds");
      }
      if (*microseconds == 0) continue;
      const uint64_t bounded = std::min<uint64_t>(*microseconds, uint64_t{1} << 50);
      terms.deadline =
          std::min(terms.deadline, Deadline::After(request.arrived, std::chrono::microseconds(bounded)));
    } else if (name == "sequence_id") {
      const auto* text = std::get_if<std::string>(&value);
      if (text != nullptr ? !text->empty() : Unsigned(value) != uint64_t{0}) {
        return absl::UnimplementedError("sequences are not served: there is no model that keeps state");
      }
    } else if ((name == "sequence_start" || name == "sequence_end") && IsTrue(value)) {
      return absl::InvalidArgumentError(absl::StrCat("parameter '", name, "' needs a sequence_id"));
    } else if (name == "headers" || absl::StartsWith(name, "triton_")) {
      return absl::InvalidArgumentError(absl::StrCat("parameter '", LogSafe(name), "' is reserved"));
    }
  }
  return terms;
}

InferPlan PartOf(const InferPlan& plan, int64_t begin, int64_t rows) {
  InferPlan part;
  part.rows = rows;
  part.outputs = plan.outputs;
  for (const TensorView& input : plan.inputs) {
    TensorView slice = input;
    slice.shape[0] = rows;
    const size_t row_bytes = input.data.size() / static_cast<size_t>(plan.rows);
    if (!input.data.empty()) {
      slice.data =
          input.data.subspan(static_cast<size_t>(begin) * row_bytes, static_cast<size_t>(rows) * row_bytes);
    }
    part.inputs.push_back(std::move(slice));
  }
  if (!plan.pictures.empty()) {
    const auto first = plan.pictures.begin() + static_cast<ptrdiff_t>(begin);
    part.pictures.assign(first, first + static_cast<ptrdiff_t>(rows));
  }
  return part;
}

}  // namespace waystone
