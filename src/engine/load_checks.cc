// SPDX-License-Identifier: Apache-2.0
#include "engine/load_checks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "base/checked_math.h"
#include "base/log.h"
#include "base/status.h"

namespace waystone {
namespace {

bool HasOpenBatch(const Shape& shape) { return shape.rank() > 0 && shape[0] == kDynamicDim; }

std::string Quoted(absl::string_view text) { return absl::StrCat("'", LogSafe(text), "'"); }

// Puts the dimensions of `wanted` past axis 0 into `input`.
absl::Status NarrowInput(const Shape& wanted, TensorSignature& input) {
  Shape narrowed = input.shape;
  bool fits = wanted.rank() == narrowed.rank();
  for (size_t axis = 1; fits && axis < narrowed.rank(); ++axis) {
    fits = wanted[axis] > 0 && (narrowed[axis] == kDynamicDim || narrowed[axis] == wanted[axis]);
    narrowed[axis] = wanted[axis];
  }
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("input ", Quoted(input.name), " has the shape ",
                                                   input.shape.ToString(), ", which cannot become ",
                                                   wanted.ToString()));
  }
  input.shape = std::move(narrowed);
  return absl::OkStatus();
}

// A model with a fixed batch runs that one only.
absl::Status CheckBatchSizes(const ModelSignature& signature, const std::vector<int>& batch_sizes) {
  for (const TensorSignature& input : signature.inputs) {
    if (HasOpenBatch(input.shape)) return absl::OkStatus();
  }
  for (const TensorSignature& input : signature.inputs) {
    if (input.shape.rank() == 0) continue;
    for (const int batch : batch_sizes) {
      if (input.shape[0] == batch) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("batch size ", batch, " is asked for, but axis 0 of input ", Quoted(input.name),
                       " is fixed: its shape is ", input.shape.ToString()));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckInput(const TensorSignature& expected, const TensorView& input) {
  if (input.type != expected.type) {
    return absl::InvalidArgumentError(absl::StrCat("input ", Quoted(expected.name), " is ", Name(input.type),
                                                   ", the model takes ", Name(expected.type)));
  }
  const std::optional<int64_t> count = input.shape.ElementCount();
  if (!expected.shape.Accepts(input.shape) || !count) {
    return absl::InvalidArgumentError(absl::StrCat("input ", Quoted(expected.name), " has the shape ",
                                                   input.shape.ToString(), ", the model takes ",
                                                   expected.shape.ToString()));
  }
  if (*count == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input ", Quoted(expected.name), " has no elements: its shape is ", input.shape.ToString()));
  }
  const std::optional<int64_t> bytes = CheckedMultiply(*count, static_cast<int64_t>(ByteSize(input.type)));
  if (!bytes || static_cast<uint64_t>(*bytes) != input.data.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input ", Quoted(expected.name), " brings ", input.data.size(), " bytes, its shape ",
        input.shape.ToString(), " of ", Name(input.type), " takes ", bytes ? absl::StrCat(*bytes) : "more"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckLoadRequest(const EngineInfo& engine, const std::string& format,
                              const LoadOptions& options) {
  if (std::find(engine.formats.begin(), engine.formats.end(), format) == engine.formats.end()) {
    return absl::UnimplementedError(absl::StrCat("does not read the format ", Quoted(format), "; it reads ",
                                                 absl::StrJoin(engine.formats, ", ")));
  }
  if (options.threads < 1 || options.instances < 1) {
    return absl::InvalidArgumentError(absl::StrCat("a model needs at least one thread and one instance, not ",
                                                   options.threads, " and ", options.instances));
  }
  for (const int batch : options.batch_sizes) {
    if (batch < 1) return absl::InvalidArgumentError(absl::StrCat("batch size ", batch, " is less than 1"));
  }
  return absl::OkStatus();
}

absl::Status CheckDevice(const EngineInfo& engine, const std::string& device, const std::string& precision) {
  std::vector<std::string> names;
  for (const DeviceInfo& info : engine.devices) {
    names.push_back(info.name);
    if (info.name != device) continue;
    if (!info.available) {
      return absl::FailedPreconditionError(
          absl::StrCat("cannot use the device '", device, "': ", info.reason));
    }
    if (std::find(info.precisions.begin(), info.precisions.end(), precision) != info.precisions.end()) {
      return absl::OkStatus();
    }
    return absl::FailedPreconditionError(
        absl::StrCat("does not run the precision ", Quoted(precision), " on the device '", device,
                     "' of this machine; it runs ", absl::StrJoin(info.precisions, ", ")));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("has no device ", Quoted(device), "; it knows ", absl::StrJoin(names, ", ")));
}

absl::Status CheckOptionNames(absl::string_view subject, const std::map<std::string, std::string>& options,
                              std::span<const absl::string_view> known) {
  for (const auto& [name, value] : options) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return absl::InvalidArgumentError(absl::StrCat(subject, " has no option ", Quoted(name), "; it has ",
                                                   known.empty() ? "none" : absl::StrJoin(known, ", ")));
  }
  return absl::OkStatus();
}

absl::StatusOr<ModelSignature> NarrowSignature(ModelSignature signature, const LoadOptions& options) {
  for (const auto& [name, shape] : options.input_shapes) {
    const bool only_input = name.empty() && signature.inputs.size() == 1;
    const auto is_meant = [&wanted = name, only_input](const TensorSignature& tensor) {
      return only_input || tensor.name == wanted;
    };
    const auto input = std::find_if(signature.inputs.begin(), signature.inputs.end(), is_meant);
    if (input == signature.inputs.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("a shape is given for ", Quoted(name), ", which is not an input of the model"));
    }
    WAYSTONE_RETURN_IF_ERROR(NarrowInput(shape, *input));
  }
  WAYSTONE_RETURN_IF_ERROR(CheckBatchSizes(signature, options.batch_sizes));
  return signature;
}

absl::Status CheckInputs(const ModelSignature& signature, const std::vector<int>& batch_sizes,
                         std::span<const TensorView> inputs) {
  if (inputs.size() != signature.inputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the model takes ", signature.inputs.size(), " inputs, not ", inputs.size()));
  }
  const int64_t batch = BatchOf(signature, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorSignature& expected = signature.inputs[i];
    WAYSTONE_RETURN_IF_ERROR(CheckInput(expected, inputs[i]));
    if (batch_sizes.empty() || !HasOpenBatch(expected.shape)) continue;
    if (inputs[i].shape[0] != batch) {
      return absl::InvalidArgumentError(absl::StrCat("input ", Quoted(expected.name), " has ",
                                                     inputs[i].shape[0], " rows, another input has ", batch));
    }
    if (std::find(batch_sizes.begin(), batch_sizes.end(), batch) == batch_sizes.end()) {
      return absl::InvalidArgumentError(absl::StrCat("input ", Quoted(expected.name), " has ", batch,
                                                     " rows; the model is loaded for batches of ",
                                                     absl::StrJoin(batch_sizes, ", ")));
    }
  }
  return absl::OkStatus();
}

int64_t BatchOf(const ModelSignature& signature, std::span<const TensorView> inputs) {
  for (size_t i = 0; i < std::min(inputs.size(), signature.inputs.size()); ++i) {
    if (HasOpenBatch(signature.inputs[i].shape) && inputs[i].shape.rank() > 0) return inputs[i].shape[0];
  }
  return 0;
}

absl::StatusCode CodeOfFailedRun(const ModelSignature& signature) {
  for (const TensorSignature& input : signature.inputs) {
    for (size_t axis = 1; axis < input.shape.rank(); ++axis) {
      if (input.shape[axis] == kDynamicDim) return absl::StatusCode::kInvalidArgument;
    }
  }
  return absl::StatusCode::kInternal;
}

}  // namespace waystone
