// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/providers.h"

#include <algorithm>
#include <dlfcn.h>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/log.h"
#include "base/status.h"
#include "engine/load_checks.h"
#include "engine/onnxruntime/conversion.h"
#include "engine/onnxruntime/provider_options.h"

namespace waystone {
namespace {

constexpr char kLibraryOption[] = "library";

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

}  // namespace

Providers::Providers(Ort::Env& env, const OnnxRuntimeLibrary& library) : env_(env) {
  devices_ = {{"cpu", true, "", {"f32"}},
              ProbeGpu("cuda", "CUDAExecutionProvider", {"f32"}, library),
              ProbeGpu("tensorrt", "TensorrtExecutionProvider", {"f32", "f16", "bf16"}, library)};
}

bool Providers::IsPlugin(const LoadOptions& options) const {
  const auto is_wanted = [&options](const DeviceInfo& device) { return device.name == options.device; };
  return options.device_options.contains(kLibraryOption) &&
         std::none_of(devices_.begin(), devices_.end(), is_wanted);
}

absl::StatusOr<std::string> Providers::Append(const LoadOptions& options, Ort::SessionOptions& session) {
  if (IsPlugin(options)) return AppendPlugin(options, session);
  if (options.device == "cpu") {
    WAYSTONE_RETURN_IF_ERROR(CheckOptionNames("ONNX Runtime's device 'cpu'", options.device_options, {}));
    return options.precision;
  }
  std::string precision;
  WAYSTONE_RETURN_IF_ERROR(AppendGpu(options, session, precision));
  return precision;
}

absl::StatusOr<std::vector<Ort::ConstEpDevice>> Providers::RegisterPlugin(const std::string& name,
                                                                          const std::string& library) {
  const MutexLock lock(mutex_);
  const auto known = plugins_.find(name);
  if (known != plugins_.end()) {
    if (known->second.library == library) return known->second.devices;
    return absl::InvalidArgumentError(absl::StrCat("the plug-in provider '", LogSafe(name),
                                                   "' is already loaded from ", known->second.library,
                                                   ", not from ", LogSafe(library)));
  }
  Plugin plugin = {library, {}};
  const absl::Status status =
      Guarded(absl::StatusCode::kFailedPrecondition,
              absl::StrCat("cannot load the plug-in provider '", LogSafe(name), "'"), [&]() -> absl::Status {
                const std::vector<Ort::ConstEpDevice> before = env_.GetEpDevices();
                env_.RegisterExecutionProviderLibrary(name.c_str(), library);
                for (const Ort::ConstEpDevice& device : env_.GetEpDevices()) {
                  const auto is_same = [&device](const Ort::ConstEpDevice& other) {
                    return static_cast<const OrtEpDevice*>(other) == static_cast<const OrtEpDevice*>(device);
                  };
                  if (std::none_of(before.begin(), before.end(), is_same)) plugin.devices.push_back(device);
                }
                return absl::OkStatus();
              });
  // Whatever the library's reason, a plug-in that cannot be loaded is a device that is missing.
  if (!status.ok()) return absl::FailedPreconditionError(status.message());
  return plugins_.emplace(name, std::move(plugin)).first->second.devices;
}

absl::StatusOr<std::string> Providers::AppendPlugin(const LoadOptions& options,
                                                    Ort::SessionOptions& session) {
  std::map<std::string, std::string> given = options.device_options;
  const std::string library = given.extract(kLibraryOption).mapped();
  if (options.precision != "f32") {
    return absl::FailedPreconditionError(
        absl::StrCat("a plug-in provider runs a model at the precision of its graph; ask for f32 and not ",
                     LogSafe(options.precision), ", and set others by the provider's own options"));
  }
  WAYSTONE_ASSIGN_OR_RETURN(std::vector<Ort::ConstEpDevice> devices, RegisterPlugin(options.device, library));
  if (devices.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the plug-in provider '", LogSafe(options.device),
                     "' offers no device on this machine: ", LogSafe(library)));
  }
  devices.resize(1);
  return Guarded(absl::StatusCode::kFailedPrecondition,
                 absl::StrCat("cannot use the plug-in provider '", LogSafe(options.device), "'"),
                 [&]() -> absl::StatusOr<std::string> {
                   session.AppendExecutionProvider_V2(
                       env_, devices,
                       std::unordered_map<std::string, std::string>(given.begin(), given.end()));
                   return options.precision;
                 });
}

}  // namespace waystone
