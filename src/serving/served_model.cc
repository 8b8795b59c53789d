// SPDX-License-Identifier: Apache-2.0
#include "serving/served_model.h"

#include <algorithm>
#include <utility>

namespace waystone {
namespace {

constexpr int64_t kDefaultMaxBatch = 32;  // where the model takes any

// As clients of the protocol know it.
std::string PlatformOf(const std::string& engine) {
  if (engine == "onnxruntime") return "onnxruntime_onnx";
  if (engine == "tflite") return "tensorflow_lite";
  return engine;
}

bool HasBatchAxis(const std::vector<TensorSignature>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [](const TensorSignature& tensor) {
    return tensor.shape.rank() >= 1 && tensor.shape[0] == kDynamicDim;
  });
}

}  // namespace

InferSignature WireSignature(const ModelSignature& signature, const std::vector<int>& batch_sizes) {
  InferSignature wire;
  wire.tensors = signature;
  if (!signature.inputs.empty() && HasBatchAxis(signature.inputs) && HasBatchAxis(signature.outputs)) {
    wire.max_batch = batch_sizes.empty() ? kDefaultMaxBatch : batch_sizes.back();
  }
  return wire;
}

BatchSizes SizesOf(const InferSignature& signature, const std::vector<int>& batch_sizes) {
  BatchSizes sizes;
  sizes.max_rows = std::max<int64_t>(1, signature.max_batch);
  if (signature.max_batch > 0) sizes.allowed.assign(batch_sizes.begin(), batch_sizes.end());
  return sizes;
}

std::shared_ptr<const ServedModel> ServePictures(std::shared_ptr<const PictureModel> model,
                                                 std::shared_ptr<const PictureModel> wide,
                                                 MetricRegistry& metrics) {
  auto served = std::make_shared<ServedModel>();
  served->name = model->name();
  served->platform = PlatformOf(model->engine_name());
  served->signature = WireSignature(model->model().signature(), model->spec().batch_sizes);
  // A model that looks at crops of the picture makes its input itself.
  if (model->finder() == nullptr && served->signature.tensors.inputs.size() == 1 &&
      served->signature.tensors.inputs[0].shape.rank() == 4) {
    served->signature.picture_input = 0;
  }
  served->sizes = SizesOf(served->signature, model->spec().batch_sizes);
  served->labels = model->spec().names.labels;
  served->counters = std::make_unique<ModelCounters>(served->name, served->version, metrics);
  // The networks live as long as the picture models that own them.
  served->narrow = std::shared_ptr<const Model>(model, &model->model());
  if (wide != nullptr) served->wide = std::shared_ptr<const Model>(wide, &wide->model());
  served->wide_picture = std::move(wide);
  served->picture = std::move(model);
  return served;
}

}  // namespace waystone
