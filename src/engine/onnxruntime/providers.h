// SPDX-License-Identifier: Apache-2.0
//
// ONNX Runtime's execution providers as devices: which this machine can use, and how a session is told to use
// one. CPU is built in; CUDA and TensorRT come with a GPU build of the library; a plug-in provider is a
// library of its own, named by the model's configuration ("plugin:NAME" with the option library=/path).
// Thread-safe.
#pragma once

#include <map>
#include <onnxruntime_cxx_api.h>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"

#include "base/mutex.h"
#include "engine/engine.h"
#include "engine/onnxruntime/library.h"

namespace waystone {

class Providers {
 public:
  // `env` outlives this.
  Providers(Ort::Env& env, const OnnxRuntimeLibrary& library);

  // cpu, cuda and tensorrt, with what is missing. Plug-ins are not listed: they are known once a model names
  // one.
  const std::vector<DeviceInfo>& devices() const { return devices_; }

  // Whether `options` ask for a plug-in provider.
  bool IsPlugin(const LoadOptions& options) const;

  // Makes `session` run on options.device, whose presence has been checked; gives the precision it will run
  // at. InvalidArgument for an option that the device does not know, FailedPrecondition where the provider
  // cannot start.
  absl::StatusOr<std::string> Append(const LoadOptions& options, Ort::SessionOptions& session);

 private:
  absl::StatusOr<std::string> AppendPlugin(const LoadOptions& options, Ort::SessionOptions& session)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The devices that the library offers; it is loaded once and then stays.
  absl::StatusOr<std::vector<Ort::ConstEpDevice>> RegisterPlugin(const std::string& name,
                                                                 const std::string& library)
      ABSL_LOCKS_EXCLUDED(mutex_);

  struct Plugin {
    std::string library;
    std::vector<Ort::ConstEpDevice> devices;
  };

  Ort::Env& env_;
  std::vector<DeviceInfo> devices_;
  Mutex mutex_;
  std::map<std::string, Plugin> plugins_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace waystone
