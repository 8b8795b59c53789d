// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/onnxruntime_model.h"

#include <onnxruntime_session_options_config_keys.h>
#include <optional>
#include <utility>

#include "base/status.h"
#include "engine/load_checks.h"
#include "engine/onnxruntime/conversion.h"

namespace waystone {
namespace {

Ort::SessionOptions MakeSessionOptions(const std::string& folder, const LoadOptions& options) {
  Ort::SessionOptions session;
  // A run uses the thread that calls it and the session's pool; the pool has what all instances together need
  // more.
  session.SetIntraOpNumThreads(1 + options.instances * (options.threads - 1));
  session.SetInterOpNumThreads(1);
  session.SetExecutionMode(ORT_SEQUENTIAL);
  // Waiting threads sleep: other work shares the cores.
  session.AddConfigEntry(kOrtSessionOptionsConfigAllowIntraOpSpinning, "0");
  session.AddConfigEntry(kOrtSessionOptionsConfigAllowInterOpSpinning, "0");
  if (!folder.empty()) {
    session.AddConfigEntry(kOrtSessionOptionsModelExternalInitializersFileFolderPath, folder.c_str());
  }
  return session;
}

class OnnxRuntimeInstance final : public Instance {
 public:
  explicit OnnxRuntimeInstance(const OnnxRuntimeModel& model)
      : model_(model), memory_(Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault)) {
    for (const TensorSignature& input : model.signature().inputs) input_names_.push_back(input.name.c_str());
    for (const TensorSignature& output : model.signature().outputs)
      output_names_.push_back(output.name.c_str());
  }

  absl::StatusOr<std::span<const TensorView>> Run(std::span<const TensorView> inputs) override {
    WAYSTONE_RETURN_IF_ERROR(CheckInputs(model_.signature(), model_.batch_sizes(), inputs));
    views_.clear();
    outputs_.clear();
    WAYSTONE_RETURN_IF_ERROR(Guarded(CodeOfFailedRun(model_.signature()), "the run failed",
                                     [&]() -> absl::Status { return RunSession(inputs); }));
    return std::span<const TensorView>(views_);
  }

 private:
  absl::Status RunSession(std::span<const TensorView> inputs) {
    std::vector<Ort::Value> values;
    values.reserve(inputs.size());
    for (const TensorView& input : inputs) {
      values.push_back(Ort::Value::CreateTensor(memory_, input.data.data(), input.data.size(),
                                                input.shape.dims().data(), input.shape.rank(),
                                                ToOnnxRuntime(input.type)));
    }
    outputs_ = model_.session().Run(Ort::RunOptions(nullptr), input_names_.data(), values.data(),
                                    values.size(), output_names_.data(), output_names_.size());
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const DataType type = model_.signature().outputs[i].type;
      Shape shape(outputs_[i].GetTensorTypeAndShapeInfo().GetShape());
      const size_t bytes = static_cast<size_t>(shape.ElementCount().value()) * ByteSize(type);
      views_.push_back({type, std::move(shape), {outputs_[i].GetTensorMutableData<std::byte>(), bytes}});
    }
    return absl::OkStatus();
  }

  const OnnxRuntimeModel& model_;
  const Ort::MemoryInfo memory_;
  std::vector<const char*> input_names_;
  std::vector<const char*> output_names_;
  std::vector<Ort::Value> outputs_;  // keep what the views show
  std::vector<TensorView> views_;
};

}  // namespace

OnnxRuntimeModel::OnnxRuntimeModel(Ort::Session session, ModelSignature signature, std::string precision,
                                   const LoadOptions& options)
    : session_(std::move(session)),
      signature_(std::move(signature)),
      device_(options.device),
      precision_(std::move(precision)),
      batch_sizes_(options.batch_sizes) {}

absl::StatusOr<std::unique_ptr<Model>> OnnxRuntimeModel::Create(const Ort::Env& env, Providers& providers,
                                                                std::string_view bytes,
                                                                const std::string& folder,
                                                                const LoadOptions& options) {
  const auto create = [&]() -> absl::StatusOr<std::unique_ptr<Model>> {
    Ort::SessionOptions session_options = MakeSessionOptions(folder, options);
    WAYSTONE_ASSIGN_OR_RETURN(std::string precision, providers.Append(options, session_options));
    Ort::Session session(env, bytes.data(), bytes.size(), session_options);
    WAYSTONE_ASSIGN_OR_RETURN(ModelSignature signature, DescribeSession(session));
    WAYSTONE_ASSIGN_OR_RETURN(signature, NarrowSignature(std::move(signature), options));
    return std::unique_ptr<Model>(
        new OnnxRuntimeModel(std::move(session), std::move(signature), std::move(precision), options));
  };
  return Guarded(absl::StatusCode::kInvalidArgument, "cannot load the ONNX model", create);
}

absl::StatusOr<std::unique_ptr<Instance>> OnnxRuntimeModel::CreateInstance() const {
  return Guarded(absl::StatusCode::kInternal, "cannot create an instance",
                 [this]() -> absl::StatusOr<std::unique_ptr<Instance>> {
                   return std::make_unique<OnnxRuntimeInstance>(*this);
                 });
}

}  // namespace waystone
