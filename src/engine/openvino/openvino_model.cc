// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/openvino_model.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include <openvino/openvino.hpp>

#include "base/status.h"
#include "engine/load_checks.h"
#include "engine/openvino/conversion.h"

namespace waystone {
namespace {

constexpr size_t kMostKnownShapes = 1024;  // then they are checked anew

ov::AnyMap Properties(const LoadOptions& options) {
  ov::AnyMap properties = {
      ov::hint::performance_mode(ov::hint::PerformanceMode::LATENCY),
      // Always said: left alone, OpenVINO takes bf16 where the processor has it, and answers differ by
      // machine.
      ov::hint::inference_precision(ov::element::Type(options.precision)),
      ov::num_streams(options.instances),
  };
  if (options.device == "cpu") {
    properties.insert(ov::inference_num_threads(options.instances * options.threads));
    properties.insert(ov::hint::enable_cpu_pinning(false));  // other work shares the cores
  }
  if (!options.cache_dir.empty()) properties.insert(ov::cache_dir(options.cache_dir));
  return properties;
}

// Sets `shapes`, in the order of the inputs, where they differ from the graph's own.
absl::Status Reshape(ov::Model& graph, const std::vector<Shape>& shapes) {
  return Guarded(absl::StatusCode::kInvalidArgument, "cannot set the input shapes", [&]() -> absl::Status {
    std::map<size_t, ov::PartialShape> changed;
    for (size_t i = 0; i < shapes.size(); ++i) {
      ov::PartialShape shape = ToPartialShape(shapes[i]);
      if (shape != graph.input(i).get_partial_shape()) changed.emplace(i, std::move(shape));
    }
    if (!changed.empty()) graph.reshape(changed);
    return absl::OkStatus();
  });
}

absl::StatusOr<ov::CompiledModel> Compile(ov::Core& core, const std::shared_ptr<ov::Model>& graph,
                                          const LoadOptions& options) {
  return Guarded(
      absl::StatusCode::kInternal, "cannot compile the model", [&]() -> absl::StatusOr<ov::CompiledModel> {
        ov::CompiledModel compiled =
            core.compile_model(graph, absl::AsciiStrToUpper(options.device), Properties(options));
        const std::string precision = compiled.get_property(ov::hint::inference_precision).to_string();
        if (precision != options.precision) {
          return absl::FailedPreconditionError(absl::StrCat("the precision ", options.precision,
                                                            " is asked for, OpenVINO would run ", precision));
        }
        return compiled;
      });
}

std::vector<Shape> InputShapes(const ModelSignature& signature, int64_t batch) {
  std::vector<Shape> shapes;
  for (const TensorSignature& input : signature.inputs) {
    Shape shape = input.shape;
    if (batch > 0 && shape.rank() > 0 && shape[0] == kDynamicDim) shape[0] = batch;
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

class OpenVinoInstance final : public Instance {
 public:
  explicit OpenVinoInstance(const OpenVinoModel& model) : model_(model), requests_(model.networks().size()) {}

  // Makes the requests of every network, so that what they need is missed now and not in a run.
  absl::Status Prepare() {
    return Guarded(absl::StatusCode::kInternal, "cannot create an instance", [this]() -> absl::Status {
      for (size_t i = 0; i < requests_.size(); ++i) requests_[i] = NewRequest(i);
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::span<const TensorView>> Run(std::span<const TensorView> inputs) override {
    WAYSTONE_RETURN_IF_ERROR(model_.CheckRun(inputs));
    const size_t network = NetworkFor(BatchOf(model_.signature(), inputs));
    absl::Status status = Guarded(CodeOfFailedRun(model_.signature()), "the run failed",
                                  [&]() -> absl::Status { return RunNetwork(network, inputs); });
    if (!status.ok()) {
      requests_[network] = {};  // its state is unknown; the next run gets a fresh one
      return status;
    }
    return std::span<const TensorView>(views_);
  }

 private:
  ov::InferRequest NewRequest(size_t network) const {
    ov::CompiledModel handle = model_.networks()[network].compiled;  // shared; the call is not const
    return handle.create_infer_request();
  }

  size_t NetworkFor(int64_t batch) const {
    const auto& networks = model_.networks();
    for (size_t i = 0; i < networks.size(); ++i) {
      if (networks[i].batch == batch) return i;
    }
    return 0;  // the only one, which takes any batch
  }

  absl::Status RunNetwork(size_t network, std::span<const TensorView> inputs) {
    ov::InferRequest& request = requests_[network];
    if (!request) request = NewRequest(network);
    for (size_t i = 0; i < inputs.size(); ++i) {
      request.set_input_tensor(
          i, ov::Tensor(ToOpenVino(inputs[i].type), ToOpenVino(inputs[i].shape), inputs[i].data.data()));
    }
    // Not infer(): that runs on a stream bound to the calling thread, and two threads may share one. A
    // started request goes to whichever stream is free.
    request.start_async();
    request.wait();
    views_.clear();
    outputs_.clear();
    for (size_t i = 0; i < model_.signature().outputs.size(); ++i) {
      ov::Tensor output = request.get_output_tensor(i);
      views_.push_back({model_.signature().outputs[i].type,
                        FromOpenVino(ov::PartialShape(output.get_shape())),
                        {static_cast<std::byte*>(output.data()), output.get_byte_size()}});
      outputs_.push_back(std::move(output));
    }
    return absl::OkStatus();
  }

  const OpenVinoModel& model_;
  std::vector<ov::InferRequest> requests_;  // one a network; empty after a failed run
  std::vector<ov::Tensor> outputs_;         // keep what the views show
  std::vector<TensorView> views_;
};

}  // namespace

OpenVinoModel::OpenVinoModel(std::shared_ptr<ov::Model> graph, ModelSignature signature,
                             const LoadOptions& options)
    : graph_(std::move(graph)), signature_(std::move(signature)), options_(options) {}

absl::StatusOr<std::unique_ptr<Model>> OpenVinoModel::Create(ov::Core& core, std::shared_ptr<ov::Model> graph,
                                                             const LoadOptions& options) {
  WAYSTONE_ASSIGN_OR_RETURN(ModelSignature signature, DescribeModel(*graph));
  WAYSTONE_ASSIGN_OR_RETURN(signature, NarrowSignature(std::move(signature), options));
  WAYSTONE_RETURN_IF_ERROR(Reshape(*graph, InputShapes(signature, 0)));
  WAYSTONE_ASSIGN_OR_RETURN(signature, DescribeModel(*graph));  // the outputs follow the inputs
  std::unique_ptr<OpenVinoModel> model(new OpenVinoModel(std::move(graph), std::move(signature), options));
  WAYSTONE_RETURN_IF_ERROR(model->CompileNetworks(core));
  return model;
}

absl::Status OpenVinoModel::CompileNetworks(ov::Core& core) {
  const bool open_batch =
      std::any_of(signature_.inputs.begin(), signature_.inputs.end(),
                  [](const auto& input) { return input.shape.rank() > 0 && input.shape[0] == kDynamicDim; });
  std::set<int64_t> batches(options_.batch_sizes.begin(), options_.batch_sizes.end());
  if (!open_batch || batches.empty()) batches = {0};
  for (const int64_t batch : batches) {
    const std::vector<Shape> shapes = InputShapes(signature_, batch);
    const std::shared_ptr<ov::Model> shaped = batch == 0 ? graph_ : graph_->clone();
    WAYSTONE_RETURN_IF_ERROR(Reshape(*shaped, shapes));
    WAYSTONE_ASSIGN_OR_RETURN(ov::CompiledModel compiled, Compile(core, shaped, options_));
    networks_.push_back({batch, std::move(compiled)});
    dynamic_ =
        std::any_of(shapes.begin(), shapes.end(), [](const Shape& shape) { return !shape.is_static(); });
  }
  return absl::OkStatus();
}

absl::Status OpenVinoModel::CheckRun(std::span<const TensorView> inputs) const {
  WAYSTONE_RETURN_IF_ERROR(CheckInputs(signature_, options_.batch_sizes, inputs));
  if (!dynamic_) return absl::OkStatus();
  std::vector<Shape> shapes;
  std::vector<int64_t> dims;
  for (const TensorView& input : inputs) {
    shapes.push_back(input.shape);
    dims.insert(dims.end(), input.shape.begin(), input.shape.end());
  }
  {
    const MutexLock lock(mutex_);
    if (known_shapes_.contains(dims)) return absl::OkStatus();
  }
  WAYSTONE_RETURN_IF_ERROR(Reshape(*graph_->clone(), shapes));
  const MutexLock lock(mutex_);
  if (known_shapes_.size() >= kMostKnownShapes) known_shapes_.clear();
  known_shapes_.insert(std::move(dims));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Instance>> OpenVinoModel::CreateInstance() const {
  auto instance = std::make_unique<OpenVinoInstance>(*this);
  WAYSTONE_RETURN_IF_ERROR(instance->Prepare());
  return instance;
}

}  // namespace waystone
