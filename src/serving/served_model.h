// SPDX-License-Identifier: Apache-2.0
//
// One version of a model as it is served: its compiled networks, one for runs on a core each and, where that
// is of use, one for lone runs on all cores; what it takes over the wire; and what is counted of it.
// Immutable but for its counters; thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "engine/engine.h"
#include "scheduler/batch_policy.h"
#include "serving/infer_plan.h"
#include "serving/model_counters.h"
#include "serving/picture_model.h"

namespace waystone {

struct ServedModel {
  std::string name;
  std::string version{"1"};
  std::string platform;                         // as the protocol calls it: onnxruntime_onnx, openvino, ...
  std::shared_ptr<const PictureModel> picture;  // null for a model of tensors only
  std::shared_ptr<const PictureModel> wide_picture;
  std::shared_ptr<const Model> narrow;
  std::shared_ptr<const Model> wide;  // null: there is none
  InferSignature signature;
  BatchSizes sizes;
  std::vector<std::string> labels;  // of classes, for classification outputs
  std::unique_ptr<ModelCounters> counters;
};

// Batches of a loaded network: it has a batch axis where all inputs and outputs leave axis 0 open.
// `batch_sizes` are those it was compiled for; empty: any.
InferSignature WireSignature(const ModelSignature& signature, const std::vector<int>& batch_sizes);
BatchSizes SizesOf(const InferSignature& signature, const std::vector<int>& batch_sizes);

// Version 1 of a picture model. `wide` is the same model loaded for all cores, or null.
std::shared_ptr<const ServedModel> ServePictures(std::shared_ptr<const PictureModel> model,
                                                 std::shared_ptr<const PictureModel> wide,
                                                 MetricRegistry& metrics);

}  // namespace waystone
