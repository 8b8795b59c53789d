// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/tflite_model.h"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "engine/load_checks.h"
#include "engine/tflite/conversion.h"

namespace waystone {
namespace {

constexpr size_t kMostOpenShapes = 4;           // an instance keeps interpreters for, where sizes are open
constexpr size_t kMostBytes = size_t{1} << 31;  // of a file: what a FlatBuffer can address

class TfLiteInstance final : public Instance {
 public:
  explicit TfLiteInstance(const TfLiteModel& model) : model_(model), most_networks_(kMostOpenShapes) {}

  // Makes the interpreters for what is known of the inputs, so that what they need is missed now and not in a
  // run.
  absl::Status Prepare() {
    const std::vector<std::vector<Shape>> known = model_.KnownShapes();
    most_networks_ = std::max(most_networks_, known.size());
    for (const std::vector<Shape>& shapes : known) {
      WAYSTONE_ASSIGN_OR_RETURN(std::unique_ptr<TfLiteNetwork> network, model_.CreateNetwork(shapes));
      networks_.push_back(std::move(network));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::span<const TensorView>> Run(std::span<const TensorView> inputs) override {
    WAYSTONE_RETURN_IF_ERROR(CheckInputs(model_.signature(), model_.batch_sizes(), inputs));
    views_.clear();
    WAYSTONE_RETURN_IF_ERROR(BringToFront(inputs));
    absl::Status status =
        networks_.front()->Run(inputs, model_.has_variables(), CodeOfFailedRun(model_.signature()), views_);
    if (!status.ok()) {
      networks_.erase(networks_.begin());  // its state is unknown; the next run gets a fresh one
      return status;
    }
    return std::span<const TensorView>(views_);
  }

 private:
  // Puts the network for the shapes of `inputs` first, and makes it where there is none.
  absl::Status BringToFront(std::span<const TensorView> inputs) {
    const auto fits = [inputs](const std::unique_ptr<TfLiteNetwork>& network) {
      return std::equal(inputs.begin(), inputs.end(), network->shapes().begin(), network->shapes().end(),
                        [](const TensorView& input, const Shape& shape) { return input.shape == shape; });
    };
    const auto found = std::find_if(networks_.begin(), networks_.end(), fits);
    if (found != networks_.end()) {
      std::rotate(networks_.begin(), found, found + 1);
      return absl::OkStatus();
    }
    std::vector<Shape> shapes;
    for (const TensorView& input : inputs) {
      const auto too_long = [](int64_t dim) { return dim > std::numeric_limits<int32_t>::max(); };
      if (std::any_of(input.shape.begin(), input.shape.end(), too_long)) {
        return absl::InvalidArgumentError(
            absl::StrCat("the shape ", input.shape.ToString(), " is beyond TensorFlow Lite's 32 bits"));
      }
      shapes.push_back(input.shape);
    }
    WAYSTONE_ASSIGN_OR_RETURN(std::unique_ptr<TfLiteNetwork> network, model_.CreateNetwork(shapes));
    if (networks_.size() >= most_networks_) networks_.pop_back();
    networks_.insert(networks_.begin(), std::move(network));
    return absl::OkStatus();
  }

  const TfLiteModel& model_;
  size_t most_networks_;
  std::vector<std::unique_ptr<TfLiteNetwork>> networks_;  // the last used first
  std::vector<TensorView> views_;
};

}  // namespace

TfLiteModel::TfLiteModel(const tfl::Api& api, Tensor bytes, TfLiteGraph graph, DelegateSource delegates,
                         const LoadOptions& options)
    : api_(api),
      options_(options),
      graph_(std::move(graph)),
      delegates_(std::move(delegates)),
      bytes_(std::move(bytes)) {}

absl::StatusOr<std::unique_ptr<Model>> TfLiteModel::Create(const tfl::Api& api, std::string_view bytes,
                                                           DelegateSource delegates,
                                                           const LoadOptions& options) {
  WAYSTONE_ASSIGN_OR_RETURN(TfLiteGraph graph, ReadTfLiteGraph(bytes));
  WAYSTONE_ASSIGN_OR_RETURN(
      Tensor copy, Tensor::Create(DataType::kUint8, {static_cast<int64_t>(bytes.size())}, kMostBytes));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(copy.bytes().data()));
  std::unique_ptr<TfLiteModel> model(
      new TfLiteModel(api, std::move(copy), std::move(graph), std::move(delegates), options));
  WAYSTONE_RETURN_IF_ERROR(model->Open());
  return model;
}

absl::Status TfLiteModel::Open() {
  static constexpr char kReading[] = "cannot read the TensorFlow Lite model";
  WAYSTONE_RETURN_IF_ERROR(Guarded(absl::StatusCode::kInvalidArgument, kReading, [this]() -> absl::Status {
    ErrorLog errors;
    model_ = ModelPtr(api_.model_create_with_error_reporter(bytes_.bytes().data(), bytes_.byte_size(),
                                                            ErrorLog::Report, &errors),
                      api_.model_delete);
    if (model_ != nullptr) return absl::OkStatus();
    return errors.ToStatus(absl::StatusCode::kInvalidArgument, kReading);
  }));
  WAYSTONE_ASSIGN_OR_RETURN(signature_, TfLiteNetwork::Describe(api_, *model_, graph_));
  WAYSTONE_ASSIGN_OR_RETURN(signature_, NarrowSignature(std::move(signature_), options_));
  std::vector<std::vector<Shape>> trials = KnownShapes();
  if (trials.empty()) trials = {DefaultShapes()};
  for (const std::vector<Shape>& shapes : trials) {
    WAYSTONE_RETURN_IF_ERROR(CreateNetwork(shapes).status());
  }
  return absl::OkStatus();
}

std::vector<std::vector<Shape>> TfLiteModel::KnownShapes() const {
  std::set<int64_t> batches(options_.batch_sizes.begin(), options_.batch_sizes.end());
  if (batches.empty()) batches = {kDynamicDim};
  std::vector<std::vector<Shape>> known;
  for (const int64_t batch : batches) {
    std::vector<Shape> shapes;
    for (const TensorSignature& input : signature_.inputs) {
      shapes.push_back(input.shape);
      if (input.shape.rank() > 0 && input.shape[0] == kDynamicDim) shapes.back()[0] = batch;
    }
    const bool known_whole =
        std::all_of(shapes.begin(), shapes.end(), [](const Shape& shape) { return shape.is_static(); });
    if (known_whole && std::find(known.begin(), known.end(), shapes) == known.end()) {
      known.push_back(std::move(shapes));
    }
  }
  return known;
}

std::vector<Shape> TfLiteModel::DefaultShapes() const {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < signature_.inputs.size(); ++i) {
    Shape shape = signature_.inputs[i].shape;
    for (size_t axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] == kDynamicDim) shape[axis] = std::max<int64_t>(1, graph_.default_inputs[i][axis]);
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

absl::StatusOr<std::unique_ptr<TfLiteNetwork>> TfLiteModel::CreateNetwork(
    const std::vector<Shape>& shapes) const {
  return TfLiteNetwork::Create(api_, *model_, delegates_, options_.threads, shapes);
}

absl::StatusOr<std::unique_ptr<Instance>> TfLiteModel::CreateInstance() const {
  auto instance = std::make_unique<TfLiteInstance>(*this);
  WAYSTONE_RETURN_IF_ERROR(instance->Prepare());
  return instance;
}

}  // namespace waystone
