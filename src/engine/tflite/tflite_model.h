// SPDX-License-Identifier: Apache-2.0
//
// A TensorFlow Lite model: the bytes, which the library reads in place, and what interpreters are made of.
// Model: thread-safe. Instance: confined to one thread at a time; it has an interpreter of its own for each
// configured batch size, or, where sizes are open, for each of the last few input shapes. So instances share
// nothing but the weights in the file; what a delegate packs of them it packs once an interpreter.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "engine/engine.h"
#include "engine/tflite/c_api.h"
#include "engine/tflite/delegates.h"
#include "engine/tflite/network.h"
#include "engine/tflite_check.h"
#include "types/tensor.h"

namespace waystone {

class TfLiteModel final : public Model {
 public:
  // The request has passed the checks of load_checks.h. An interpreter of every batch size is made once, so
  // that what does not fit is refused here. `api` outlives the model. Throws nothing.
  static absl::StatusOr<std::unique_ptr<Model>> Create(const tfl::Api& api, std::string_view bytes,
                                                       DelegateSource delegates, const LoadOptions& options);

  const ModelSignature& signature() const override { return signature_; }
  const std::string& device() const override { return options_.device; }
  const std::string& precision() const override { return options_.precision; }
  absl::StatusOr<std::unique_ptr<Instance>> CreateInstance() const override;

  const std::vector<int>& batch_sizes() const { return options_.batch_sizes; }
  bool has_variables() const { return graph_.has_variables; }
  // The input shapes to be ready for before the first run; empty where a size is open.
  std::vector<std::vector<Shape>> KnownShapes() const;
  absl::StatusOr<std::unique_ptr<TfLiteNetwork>> CreateNetwork(const std::vector<Shape>& shapes) const;

 private:
  using ModelPtr = std::unique_ptr<tfl::Model, void (*)(tfl::Model*)>;

  TfLiteModel(const tfl::Api& api, Tensor bytes, TfLiteGraph graph, DelegateSource delegates,
              const LoadOptions& options);
  absl::Status Open();
  // What the file was made with, where a size is open.
  std::vector<Shape> DefaultShapes() const;

  const tfl::Api& api_;
  const LoadOptions options_;
  const TfLiteGraph graph_;
  const DelegateSource delegates_;
  Tensor bytes_;  // aligned, as the library wants them
  ModelPtr model_ = {nullptr, nullptr};
  ModelSignature signature_;
};

}  // namespace waystone
