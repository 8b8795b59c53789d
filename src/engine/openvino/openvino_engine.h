// SPDX-License-Identifier: Apache-2.0
//
// OpenVINO behind the engine contract: ONNX, OpenVINO IR and TensorFlow Lite models on the CPU, and on an
// Intel GPU where its plug-in is installed. The fast engine on CPUs. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include <openvino/runtime/core.hpp>

#include "engine/engine.h"

namespace waystone {

class OpenVinoEngine final : public Engine {
 public:
  // Starts the runtime and asks which devices and precisions this machine has.
  static absl::StatusOr<std::unique_ptr<Engine>> Create();

  const EngineInfo& info() const override { return info_; }
  absl::StatusOr<std::unique_ptr<Model>> Load(std::string_view bytes, const std::string& format,
                                              const std::string& folder,
                                              const LoadOptions& options) const override;

 private:
  OpenVinoEngine() = default;

  mutable ov::Core core_;  // safe to read and compile with from several threads
  EngineInfo info_;
};

}  // namespace waystone
