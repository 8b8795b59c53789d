// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <onnxruntime_cxx_api.h>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace waystone {
namespace {

std::string ChooseFile(const std::string& module_folder) {
  const char* chosen = std::getenv("WAYSTONE_ONNXRUNTIME");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  std::string beside = absl::StrCat(module_folder, "/onnxruntime/libonnxruntime.so");
  std::error_code ignored;
  return std::filesystem::exists(beside, ignored) ? beside : WAYSTONE_ONNXRUNTIME_DEFAULT;
}

}  // namespace

absl::StatusOr<OnnxRuntimeLibrary> OpenOnnxRuntime(const std::string& module_folder) {
  const std::string path = ChooseFile(module_folder);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return absl::FailedPreconditionError(
        absl::StrCat("cannot open ONNX Runtime: ", reason != nullptr ? reason : path.c_str()));
  }
  using GetApiBase = const OrtApiBase* (*)();
  const auto get_api_base = reinterpret_cast<GetApiBase>(dlsym(handle, "OrtGetApiBase"));
  if (get_api_base == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(path, " is not ONNX Runtime: it has no OrtGetApiBase"));
  }
  const OrtApiBase* base = get_api_base();
  const std::string version = base->GetVersionString();
  const OrtApi* api = base->GetApi(ORT_API_VERSION);
  if (api == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("the ONNX Runtime library ", path, " is of version ",
                                                      version, "; version 1.", ORT_API_VERSION,
                                                      " or newer is needed"));
  }
  Ort::InitApi(api);
  return OnnxRuntimeLibrary{path, version};
}

}  // namespace waystone
