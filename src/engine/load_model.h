// SPDX-License-Identifier: Apache-2.0
//
// From what model.yaml asks of an engine to a loaded model. Devices are tried in the order device,
// fallback_devices; on each device the engines in the order of `prefer`, or when it is empty ("auto") all
// that read the format. The first that loads wins. The walk goes to the next engine after any error, but to
// the next device only when this one is missing (FailedPrecondition from the best of its engines): a broken
// model is broken everywhere, a full GPU is not a reason to answer from the CPU unasked. With one engine the
// error is its own; with several it lists each one's reason. A device or a preferred engine that had to be
// left is a degraded mode: a warning is logged and `on_fallback` called. Moving on among the engines of
// "auto" is its job and only logged. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "engine/engine.h"
#include "engine/registry.h"
#include "types/model_spec.h"

namespace waystone {

// The bytes of a model, as Engine::Load takes them.
struct ModelSource {
  std::string name;  // for the log
  std::string_view bytes;
  std::string format;
  std::string folder;
};

struct LoadedModel {
  std::unique_ptr<Model> model;
  std::string engine;  // the name of the one that loaded it
};

// `from` and `to` are "engine on device", for a log line or the labels of a counter.
using FallbackCallback = std::function<void(const std::string& from, const std::string& to)>;

// Of `options`, precision, device and device_options are taken from `spec`; the spec's options go to
// `spec.device`, a fallback device gets none. `on_fallback` may be empty.
absl::StatusOr<LoadedModel> LoadModel(const EngineRegistry& registry, const EngineSpec& spec,
                                      const ModelSource& source, LoadOptions options,
                                      const FallbackCallback& on_fallback);

}  // namespace waystone
