// SPDX-License-Identifier: Apache-2.0
//
// A model compiled by OpenVINO: one static network for each configured batch size, since static networks run
// faster and need no warm-up of new shapes; or one dynamic network where no batch size is configured. Model:
// thread-safe. Instance: confined to one thread at a time.
//
// Instances of one model run side by side as long as the model was compiled with a stream for each
// (LoadOptions::instances); requests above that wait for a stream inside OpenVINO.
//
// A dynamic network that fails on shapes it cannot take stays broken for all its requests. So shapes that it
// has not seen are first put through the shape inference of the uncompiled graph, and refused there.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include <openvino/runtime/compiled_model.hpp>
#include <openvino/runtime/core.hpp>

#include "base/mutex.h"
#include "engine/engine.h"

namespace waystone {

class OpenVinoModel final : public Model {
 public:
  struct Network {
    int64_t batch = 0;  // 0: takes any
    ov::CompiledModel compiled;
  };

  // Compiles `graph` for `options`; the request has passed the checks of load_checks.h. Throws nothing.
  static absl::StatusOr<std::unique_ptr<Model>> Create(ov::Core& core, std::shared_ptr<ov::Model> graph,
                                                       const LoadOptions& options);

  const ModelSignature& signature() const override { return signature_; }
  const std::string& device() const override { return options_.device; }
  const std::string& precision() const override { return options_.precision; }
  absl::StatusOr<std::unique_ptr<Instance>> CreateInstance() const override;

  const std::vector<Network>& networks() const { return networks_; }
  // CheckInputs, and where the networks are dynamic whether the shapes fit inside. InvalidArgument when not.
  absl::Status CheckRun(std::span<const TensorView> inputs) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  OpenVinoModel(std::shared_ptr<ov::Model> graph, ModelSignature signature, const LoadOptions& options);
  absl::Status CompileNetworks(ov::Core& core);

  const std::shared_ptr<ov::Model> graph_;  // with the signature's shapes; not changed once made
  const ModelSignature signature_;
  const LoadOptions options_;
  std::vector<Network> networks_;  // at least one; with batch_sizes one a size
  bool dynamic_ = false;           // a network has a dimension open

  mutable Mutex mutex_;
  mutable std::set<std::vector<int64_t>> known_shapes_
      ABSL_GUARDED_BY(mutex_);  // of all inputs, one after another
};

}  // namespace waystone
