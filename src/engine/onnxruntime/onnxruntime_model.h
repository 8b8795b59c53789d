// SPDX-License-Identifier: Apache-2.0
//
// A model as an ONNX Runtime session. Model: thread-safe; all instances share the session and its pool of
// threads. Instance: confined to one thread at a time; it owns the outputs of its last run.
#pragma once

#include <memory>
#include <onnxruntime_cxx_api.h>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "engine/engine.h"
#include "engine/onnxruntime/providers.h"

namespace waystone {

class OnnxRuntimeModel final : public Model {
 public:
  // The request has passed the checks of load_checks.h. `env` and `providers` outlive the model. Throws
  // nothing.
  static absl::StatusOr<std::unique_ptr<Model>> Create(const Ort::Env& env, Providers& providers,
                                                       std::string_view bytes, const std::string& folder,
                                                       const LoadOptions& options);

  const ModelSignature& signature() const override { return signature_; }
  const std::string& device() const override { return device_; }
  const std::string& precision() const override { return precision_; }
  absl::StatusOr<std::unique_ptr<Instance>> CreateInstance() const override;

  const std::vector<int>& batch_sizes() const { return batch_sizes_; }
  Ort::Session& session() const { return session_; }

 private:
  OnnxRuntimeModel(Ort::Session session, ModelSignature signature, std::string precision,
                   const LoadOptions& options);

  mutable Ort::Session session_;  // may be run from several threads at once, by calls that are not const
  ModelSignature signature_;
  std::string device_;
  std::string precision_;
  std::vector<int> batch_sizes_;
};

}  // namespace waystone
