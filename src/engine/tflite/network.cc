// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/network.h"

#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/checked_math.h"
#include "base/log.h"
#include "base/status.h"

namespace waystone {
namespace {

constexpr char kLoading[] = "cannot load the TensorFlow Lite model";

}  // namespace

absl::StatusOr<std::unique_ptr<TfLiteNetwork>> TfLiteNetwork::Create(const tfl::Api& api,
                                                                     const tfl::Model& model,
                                                                     const DelegateSource& delegates,
                                                                     int threads,
                                                                     const std::vector<Shape>& shapes) {
  return Guarded(absl::StatusCode::kInvalidArgument, kLoading,
                 [&]() -> absl::StatusOr<std::unique_ptr<TfLiteNetwork>> {
                   std::unique_ptr<TfLiteNetwork> network(new TfLiteNetwork(api, shapes));
                   WAYSTONE_RETURN_IF_ERROR(network->Start(model, threads));
                   const absl::Status allocated = network->Resize();
                   if (delegates.make == nullptr) {
                     WAYSTONE_RETURN_IF_ERROR(allocated);
                   } else {
                     // Some operators are known to a delegate only, so the graph may be incomplete without.
                     WAYSTONE_RETURN_IF_ERROR(network->Delegate(delegates, allocated));
                   }
                   return network;
                 });
}

absl::StatusOr<ModelSignature> TfLiteNetwork::Describe(const tfl::Api& api, const tfl::Model& model,
                                                       const TfLiteGraph& graph) {
  return Guarded(absl::StatusCode::kInvalidArgument, kLoading, [&]() -> absl::StatusOr<ModelSignature> {
    TfLiteNetwork network(api, {});
    WAYSTONE_RETURN_IF_ERROR(network.Start(model, 1));
    return DescribeInterpreter(api, *network.interpreter_, graph);
  });
}

absl::Status TfLiteNetwork::Start(const tfl::Model& model, int threads) {
  const std::unique_ptr<tfl::InterpreterOptions, void (*)(tfl::InterpreterOptions*)> options(
      api_.interpreter_options_create(), api_.interpreter_options_delete);
  api_.interpreter_options_set_num_threads(options.get(), threads);
  api_.interpreter_options_set_error_reporter(options.get(), ErrorLog::Report, &errors_);
  interpreter_ = InterpreterPtr(api_.interpreter_create(&model, options.get()), api_.interpreter_delete);
  if (interpreter_ != nullptr) return absl::OkStatus();
  return errors_.ToStatus(absl::StatusCode::kInvalidArgument, kLoading);
}

absl::Status TfLiteNetwork::Resize() {
  for (size_t i = 0; i < shapes_.size(); ++i) {
    const auto index = static_cast<int32_t>(i);
    const std::optional<Shape> now =
        ShapeOf(api_, api_.interpreter_get_input_tensor(interpreter_.get(), index));
    if (now == shapes_[i]) continue;
    const std::vector<int> dims(shapes_[i].begin(), shapes_[i].end());  // checked to be int32 by their source
    if (api_.interpreter_resize_input_tensor(interpreter_.get(), index, dims.data(),
                                             static_cast<int32_t>(dims.size())) != tfl::kOk) {
      return errors_.ToStatus(absl::StatusCode::kInvalidArgument, "cannot set the input shapes");
    }
  }
  if (api_.interpreter_allocate_tensors(interpreter_.get()) == tfl::kOk) return absl::OkStatus();
  return errors_.ToStatus(absl::StatusCode::kInvalidArgument, kLoading);
}

absl::Status TfLiteNetwork::Delegate(const DelegateSource& delegates, const absl::Status& without) {
  errors_.Clear();
  WAYSTONE_ASSIGN_OR_RETURN(delegate_, delegates.make());
  const tfl::Status taken = api_.interpreter_modify_graph_with_delegate(interpreter_.get(), delegate_.get());
  if (taken == tfl::kApplicationError && !delegates.is_device) {
    return without;  // the graph is as it was; XNNPACK wants no tensor whose shape only a run tells
  }
  if (taken == tfl::kOk && api_.interpreter_allocate_tensors(interpreter_.get()) == tfl::kOk) {
    errors_.Clear();
    return absl::OkStatus();
  }
  if (!without.ok()) return without;  // it says more: the delegate did not mend it
  const absl::StatusCode code =
      delegates.is_device ? absl::StatusCode::kFailedPrecondition : absl::StatusCode::kInvalidArgument;
  return errors_.ToStatus(code, "the delegate does not take the graph");
}

absl::Status TfLiteNetwork::Run(std::span<const TensorView> inputs, bool forget, absl::StatusCode failure,
                                std::vector<TensorView>& outputs) {
  static constexpr char kRunning[] = "the run failed";
  return Guarded(failure, kRunning, [&]() -> absl::Status {
    errors_.Clear();
    if (forget && api_.interpreter_reset_variable_tensors(interpreter_.get()) != tfl::kOk) {
      return errors_.ToStatus(absl::StatusCode::kInternal, "cannot clear the variables of the model");
    }
    WAYSTONE_RETURN_IF_ERROR(FillInputs(inputs));
    if (api_.interpreter_invoke(interpreter_.get()) != tfl::kOk) return errors_.ToStatus(failure, kRunning);
    return ViewOutputs(outputs);
  });
}

absl::Status TfLiteNetwork::FillInputs(std::span<const TensorView> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const tfl::Tensor* tensor =
        api_.interpreter_get_input_tensor(interpreter_.get(), static_cast<int32_t>(i));
    void* data = api_.tensor_data(tensor);
    if (data == nullptr || api_.tensor_byte_size(tensor) != inputs[i].data.size()) {
      return absl::InternalError(absl::StrCat("TensorFlow Lite takes ", api_.tensor_byte_size(tensor),
                                              " bytes as input ", i, ", not ", inputs[i].data.size()));
    }
    std::memcpy(data, inputs[i].data.data(), inputs[i].data.size());
  }
  return absl::OkStatus();
}

absl::Status TfLiteNetwork::ViewOutputs(std::vector<TensorView>& outputs) const {
  const int32_t count = api_.interpreter_get_output_tensor_count(interpreter_.get());
  for (int32_t i = 0; i < count; ++i) {
    const tfl::Tensor* tensor = api_.interpreter_get_output_tensor(interpreter_.get(), i);
    const std::optional<DataType> type = FromTfLite(api_.tensor_type(tensor));
    std::optional<Shape> shape = ShapeOf(api_, tensor);
    const std::optional<int64_t> elements = shape ? shape->ElementCount() : std::nullopt;
    const size_t bytes = api_.tensor_byte_size(tensor);
    if (!type || !elements || CheckedMultiply(static_cast<size_t>(*elements), ByteSize(*type)) != bytes ||
        (api_.tensor_data(tensor) == nullptr && bytes > 0)) {
      return absl::InternalError(absl::StrCat("output ", i, " of TensorFlow Lite has ", bytes,
                                              " bytes, which its shape does not take"));
    }
    outputs.push_back({*type, *std::move(shape), {static_cast<std::byte*>(api_.tensor_data(tensor)), bytes}});
  }
  return absl::OkStatus();
}

}  // namespace waystone
