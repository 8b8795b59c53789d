// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/providers.h"

#include <algorithm>
#include <dlfcn.h>
#include <unordered_map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "base/log.h"
#include "base/status.h"
#include "engine/load_checks.h"
#include "engine/onnxruntime/conversion.h"
#include "engine/onnxruntime/provider_options.h"

namespace waystone {
namespace {

constexpr absl::string_view kPluginPrefix = "plugin:";

void AppendCuda(const ProviderOptions& options, Ort::SessionOptions& session) {
  Ort::CUDAProviderOptions cuda;
  cuda.Update(options.keys);
  session.AppendExecutionProvider_CUDA_V2(*cuda);
}

void AppendTensorRt(const ProviderOptions& options, Ort::SessionOptions& session) {
  Ort::TensorRTProviderOptions tensorrt;
  tensorrt.Update(options.keys);
  session.AppendExecutionProvider_TensorRT_V2(*tensorrt);
}

absl::Status AppendGpu(const LoadOptions& options, Ort::SessionOptions& session, std::string& precision) {
  return Guarded(absl::StatusCode::kFailedPrecondition,
                 absl::StrCat("cannot use the device '", options.device, "'"), [&]() -> absl::Status {
                   ProviderOptions cuda = {{{"use_tf32", "0"}}, options.precision};
                   if (options.device == "cuda") {
                     WAYSTONE_ASSIGN_OR_RETURN(cuda, CudaOptions(options));
                     precision = cuda.precision;
                   } else {
                     WAYSTONE_ASSIGN_OR_RETURN(const ProviderOptions tensorrt, TensorRtOptions(options));
                     AppendTensorRt(tensorrt, session);
                     precision = tensorrt.precision;
                     const auto id = tensorrt.keys.find("device_id");
                     if (id != tensorrt.keys.end()) cuda.keys["device_id"] = id->second;
                   }
                   AppendCuda(cuda, session);  // with TensorRT, for the operations that it leaves
                   return absl::OkStatus();
                 });
}

std::string MissingDriver() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver != nullptr) {
    dlclose(driver);
    return "";
  }
  const char* reason = dlerror();
  return absl::StrCat("the NVIDIA driver is missing: ",
                      reason != nullptr ? reason : "libcuda.so.1 is not found");
}

DeviceInfo ProbeGpu(const std::string& device, const std::string& provider,
                    std::vector<std::string> precisions, const OnnxRuntimeLibrary& library) {
  DeviceInfo info = {device, false, "", {}};
  const std::vector<std::string> built_in = Ort::GetAvailableProviders();
  if (std::find(built_in.begin(), built_in.end(), provider) == built_in.end()) {
    info.reason = absl::StrCat("the ONNX Runtime library ", library.path, " (", library.version,
                               ") was built without the ", provider);
    return info;
  }
  info.reason = MissingDriver();
  if (!info.reason.empty()) return info;
  LoadOptions options;
  options.device = device;
  Ort::SessionOptions session;
  std::string precision;
  const absl::Status status = AppendGpu(options, session, precision);
  info.available = status.ok();
  if (status.ok()) {
    info.precisions = std::move(precisions);
  } else {
    info.reason = std::string(status.message());
  }
  return info;
}

std::string PluginName(const std::string& device) { return device.substr(kPluginPrefix.size()); }

}  // namespace

Providers::Providers(Ort::Env& env, const OnnxRuntimeLibrary& library) : env_(env) {
  devices_ = {{"cpu", true, "", {"f32"}},
              ProbeGpu("cuda", "CUDAExecutionProvider", {"f32"}, library),
              ProbeGpu("tensorrt", "TensorrtExecutionProvider", {"f32", "f16", "bf16"}, library)};
}

bool Providers::IsPlugin(const std::string& device) { return absl::StartsWith(device, kPluginPrefix); }

absl::StatusOr<std::string> Providers::Append(const LoadOptions& options, Ort::SessionOptions& session) {
  if (IsPlugin(options.device)) return AppendPlugin(options, session);
  if (options.device == "cpu") {
    WAYSTONE_RETURN_IF_ERROR(CheckOptionNames("ONNX Runtime's device 'cpu'", options.device_options, {}));
    return options.precision;
  }
  std::string precision;
  WAYSTONE_RETURN_IF_ERROR(AppendGpu(options, session, precision));
  return precision;
}

absl::Status Providers::RegisterPlugin(const std::string& name, const std::string& library) {
  const absl::MutexLock lock(&mutex_);
  const auto known = plugins_.find(name);
  if (known != plugins_.end()) {
    if (known->second == library) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("the plug-in provider '", LogSafe(name),
                                                   "' is already loaded from ", known->second, ", not from ",
                                                   LogSafe(library)));
  }
  const absl::Status status =
      Guarded(absl::StatusCode::kFailedPrecondition,
              absl::StrCat("cannot load the plug-in provider '", LogSafe(name), "'"), [&]() -> absl::Status {
                env_.RegisterExecutionProviderLibrary(name.c_str(), library);
                return absl::OkStatus();
              });
  // Whatever the library's reason, a plug-in that cannot be loaded is a device that is missing.
  if (!status.ok()) return absl::FailedPreconditionError(status.message());
  plugins_.emplace(name, library);
  return absl::OkStatus();
}

absl::StatusOr<std::string> Providers::AppendPlugin(const LoadOptions& options,
                                                    Ort::SessionOptions& session) {
  const std::string name = PluginName(options.device);
  std::map<std::string, std::string> given = options.device_options;
  const auto library = given.extract("library");
  if (library.empty() || name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the device '", LogSafe(options.device),
                                                   "' is to be plugin:NAME with the option library, a path"));
  }
  if (options.precision != "f32") {
    return absl::FailedPreconditionError(
        absl::StrCat("a plug-in provider runs a model at the precision of its graph; ask for f32 and not ",
                     LogSafe(options.precision), ", and set others by the provider's own options"));
  }
  WAYSTONE_RETURN_IF_ERROR(RegisterPlugin(name, library.mapped()));
  return Guarded(absl::StatusCode::kFailedPrecondition,
                 absl::StrCat("cannot use the plug-in provider '", name, "'"),
                 [&]() -> absl::StatusOr<std::string> {
                   std::vector<Ort::ConstEpDevice> mine;
                   std::vector<std::string> names;
                   for (const Ort::ConstEpDevice& device : env_.GetEpDevices()) {
                     names.emplace_back(device.EpName());
                     if (names.back() == name) mine.push_back(device);
                   }
                   if (mine.empty()) {
                     return absl::FailedPreconditionError(absl::StrCat(
                         "the plug-in provider '", name, "' offers no device on this machine; there are ",
                         absl::StrJoin(names, ", ")));
                   }
                   mine.resize(1);
                   session.AppendExecutionProvider_V2(
                       env_, mine, std::unordered_map<std::string, std::string>(given.begin(), given.end()));
                   return options.precision;
                 });
}

}  // namespace waystone
