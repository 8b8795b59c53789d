// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow Lite's delegates as devices. On `cpu` the graph goes to XNNPACK, which the library brings along
// and does not use unasked: two to seven times as fast on the networks tried. Any other device is an external
// delegate, a library of its own that the model's configuration names with the option `library`. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"

#include "base/mutex.h"
#include "engine/engine.h"
#include "engine/tflite/c_api.h"

namespace waystone {

using DelegatePtr = std::unique_ptr<tfl::Delegate, void (*)(tfl::Delegate*)>;

// How the interpreters of one model get their delegates, each its own. Thread-safe.
struct DelegateSource {
  std::function<absl::StatusOr<DelegatePtr>()> make;  // empty: the library's own kernels alone
  // Whether the delegate is the device that was asked for; else it may leave a graph that it cannot take.
  bool is_device = false;
};

class Delegates {
 public:
  // `api` outlives this and every source.
  explicit Delegates(const tfl::Api& api) : api_(api) {}

  // Whether `options` ask for an external delegate.
  static bool IsExternal(const LoadOptions& options);

  // The source for options.device. InvalidArgument for an option that the device does not know,
  // FailedPrecondition where the library of an external delegate cannot be used.
  absl::StatusOr<DelegateSource> Choose(const LoadOptions& options) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct External {
    std::string library;
    tfl::CreateDelegate create = nullptr;
    tfl::DestroyDelegate destroy = nullptr;
  };

  absl::StatusOr<DelegateSource> ChooseXnnPack(const LoadOptions& options) const;
  // Opened once and then open for the life of the process.
  absl::StatusOr<External> OpenExternal(const std::string& device, const std::string& library)
      ABSL_LOCKS_EXCLUDED(mutex_);

  const tfl::Api& api_;
  Mutex mutex_;
  std::map<std::string, External> externals_ ABSL_GUARDED_BY(mutex_);  // by device
};

}  // namespace waystone
