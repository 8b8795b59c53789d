// SPDX-License-Identifier: Apache-2.0
//
// What every engine checks in the same way and words, so that a model behaves alike on each: the format,
// device, precision and options a load asks for, the shapes it narrows the model to, and the inputs of a run.
// Adapters call these before their library sees anything. Pure functions: thread-safe.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "engine/engine.h"

namespace waystone {

// Unimplemented when `engine` does not read `format`; InvalidArgument when a number in `options` is not
// positive.
absl::Status CheckLoadRequest(const EngineInfo& engine, const std::string& format,
                              const LoadOptions& options);

// FailedPrecondition when `engine` does not know `device`, the machine lacks it, or it does not run
// `precision`; the text says what is missing.
absl::Status CheckDevice(const EngineInfo& engine, const std::string& device, const std::string& precision);

// InvalidArgument when an option is not among `known`; `subject` names what it was meant for.
absl::Status CheckOptionNames(absl::string_view subject, const std::map<std::string, std::string>& options,
                              std::span<const absl::string_view> known);

// The model's signature with options.input_shapes put into its inputs (axis 0 stays). InvalidArgument when a
// name, a rank or a fixed dimension does not fit, or when a batch size is asked for that the model's fixed
// axis 0 excludes.
absl::StatusOr<ModelSignature> NarrowSignature(ModelSignature signature, const LoadOptions& options);

// InvalidArgument when the number, a type, a shape or a length of `inputs` does not fit `signature`, or the
// batch (axis 0 of the inputs that leave it open, the same in all) is not among `batch_sizes`; an empty list
// allows every size.
absl::Status CheckInputs(const ModelSignature& signature, const std::vector<int>& batch_sizes,
                         std::span<const TensorView> inputs);

// The batch of inputs that CheckInputs has passed; 0 when no input leaves axis 0 open.
int64_t BatchOf(const ModelSignature& signature, std::span<const TensorView> inputs);

// What an engine's refusal of inputs that CheckInputs has passed means: InvalidArgument when the model leaves
// a dimension past axis 0 open (not every size of such a one fits the network inside), else Internal.
absl::StatusCode CodeOfFailedRun(const ModelSignature& signature);

}  // namespace waystone
