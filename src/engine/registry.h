// SPDX-License-Identifier: Apache-2.0
//
// The engines of this process. Adapters are loadable modules, so the program starts where one is missing; the
// registry remembers why. Built once at start and then read only: thread-safe after Open().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "engine/engine.h"

namespace waystone {

// An engine that could not be opened, and the sentence that says why.
struct MissingEngine {
  std::string name;
  std::string reason;
};

class EngineRegistry {
 public:
  // Opens every known adapter module (tflite, openvino, onnxruntime) found in `module_folder`. Never fails:
  // what is missing is listed by missing().
  static EngineRegistry Open(const std::string& module_folder);
  // The folder beside the running program where the build and the installation put the modules.
  static std::string DefaultModuleFolder();

  // Adds an engine made in this process (the fake one, in tests).
  void Add(std::unique_ptr<Engine> engine);

  // In the order of preference: tflite, openvino, onnxruntime, then as added.
  std::vector<const Engine*> engines() const;
  // Those of them that read `format`.
  std::vector<const Engine*> ReadersOf(const std::string& format) const;
  const std::vector<MissingEngine>& missing() const { return missing_; }
  // The engine of that name. NotFound lists the names there are; FailedPrecondition says why a known one is
  // missing.
  absl::StatusOr<const Engine*> Find(const std::string& name) const;

 private:
  std::vector<std::unique_ptr<Engine>> engines_;
  std::vector<MissingEngine> missing_;
};

}  // namespace waystone
