// SPDX-License-Identifier: Apache-2.0
//
// ONNX Runtime behind the engine contract: ONNX models on the CPU, on NVIDIA GPUs through its CUDA and
// TensorRT providers, and on whatever a plug-in provider brings. The engine that runs every ONNX model we
// know of. Thread-safe. There is no header: the program sees it only through the module's entry.
#include <memory>
#include <onnxruntime_cxx_api.h>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "base/log.h"
#include "base/status.h"
#include "engine/engine.h"
#include "engine/load_checks.h"
#include "engine/module.h"
#include "engine/onnx_external_data.h"
#include "engine/onnxruntime/conversion.h"
#include "engine/onnxruntime/library.h"
#include "engine/onnxruntime/onnxruntime_model.h"
#include "engine/onnxruntime/providers.h"

namespace waystone {
namespace {

void LogFatal(void* /*param*/, OrtLoggingLevel /*severity*/, const char* /*category*/, const char* /*logid*/,
              const char* /*location*/, const char* message) {
  LogError(absl::StrCat("ONNX Runtime: ", LogSafe(message)));
}

class OnnxRuntimeEngine final : public Engine {
 public:
  explicit OnnxRuntimeEngine(const OnnxRuntimeLibrary& library)
      // Its lesser errors come back as statuses, with the same text; logged too, a client could fill the log
      // with them.
      : env_(ORT_LOGGING_LEVEL_FATAL, "waystone", LogFatal, nullptr), providers_(env_, library) {
    env_.DisableTelemetryEvents();
    info_ = {"onnxruntime", library.version, {"onnx"}, providers_.devices()};
  }

  const EngineInfo& info() const override { return info_; }

  absl::StatusOr<std::unique_ptr<Model>> Load(std::string_view bytes, const std::string& format,
                                              const std::string& folder,
                                              const LoadOptions& options) const override {
    WAYSTONE_RETURN_IF_ERROR(CheckLoadRequest(info_, format, options));
    if (!providers_.IsPlugin(options)) {
      WAYSTONE_RETURN_IF_ERROR(CheckDevice(info_, options.device, options.precision));
    }
    if (folder.empty()) {
      WAYSTONE_ASSIGN_OR_RETURN(const bool external, HasExternalData(bytes));
      if (external)
        return absl::InvalidArgumentError("the model keeps weights in other files, but has no folder");
    }
    return OnnxRuntimeModel::Create(env_, providers_, bytes, folder, options);
  }

 private:
  Ort::Env env_;
  mutable Providers providers_;  // thread-safe
  EngineInfo info_;
};

absl::StatusOr<std::unique_ptr<Engine>> CreateModuleEngine(const std::string& folder) {
  WAYSTONE_ASSIGN_OR_RETURN(const OnnxRuntimeLibrary library, OpenOnnxRuntime(folder));
  return Guarded(absl::StatusCode::kFailedPrecondition, "cannot start ONNX Runtime",
                 [&library]() -> absl::StatusOr<std::unique_ptr<Engine>> {
                   return std::make_unique<OnnxRuntimeEngine>(library);
                 });
}

}  // namespace
}  // namespace waystone

WAYSTONE_ENGINE_MODULE(&waystone::CreateModuleEngine)
