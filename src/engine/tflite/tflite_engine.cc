// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow Lite behind the engine contract: its own format on the CPU, and on whatever an external delegate
// brings. The engine that runs every TensorFlow Lite model we know of. Thread-safe. There is no header: the
// program sees it only through the module's entry.
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"

#include "base/status.h"
#include "engine/engine.h"
#include "engine/load_checks.h"
#include "engine/module.h"
#include "engine/tflite/delegates.h"
#include "engine/tflite/library.h"
#include "engine/tflite/tflite_model.h"

namespace waystone {
namespace {

class TfLiteEngine final : public Engine {
 public:
  explicit TfLiteEngine(TfLiteLibrary library)
      : library_(std::move(library)),
        delegates_(library_.api),
        info_{"tflite", library_.version, {"tflite"}, {{"cpu", true, "", {"f32"}}}} {}

  const EngineInfo& info() const override { return info_; }

  absl::StatusOr<std::unique_ptr<Model>> Load(std::string_view bytes, const std::string& format,
                                              const std::string& /*folder*/,
                                              const LoadOptions& options) const override {
    WAYSTONE_RETURN_IF_ERROR(CheckLoadRequest(info_, format, options));
    if (!Delegates::IsExternal(options)) {
      WAYSTONE_RETURN_IF_ERROR(CheckDevice(info_, options.device, options.precision));
    }
    WAYSTONE_ASSIGN_OR_RETURN(DelegateSource delegates, delegates_.Choose(options));
    return TfLiteModel::Create(library_.api, bytes, std::move(delegates), options);
  }

 private:
  const TfLiteLibrary library_;
  mutable Delegates delegates_;  // thread-safe
  const EngineInfo info_;
};

absl::StatusOr<std::unique_ptr<Engine>> CreateModuleEngine(const std::string& folder) {
  WAYSTONE_ASSIGN_OR_RETURN(TfLiteLibrary library, OpenTfLite(folder));
  return std::make_unique<TfLiteEngine>(std::move(library));
}

}  // namespace
}  // namespace waystone

WAYSTONE_ENGINE_MODULE(&waystone::CreateModuleEngine)
