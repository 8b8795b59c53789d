// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

#include "base/status.h"

namespace waystone {
namespace {

// TensorFlow's own name of the library, and the one in the Java package that the set-up can fetch.
constexpr const char* kNames[] = {"libtensorflowlite_c.so", "libjnitensorflowlite.so"};

// Quiets the library's own log on standard error: what matters comes back through the error reporter. No part
// of the C API, so a library without it will do.
constexpr char kSetLogSeverity[] =
    "_ZN6tflite16logging_internal13MinimalLogger21SetMinimumLogSeverityENS_11LogSeverityE";
constexpr int kLogErrors = 3;

absl::StatusOr<std::string> FindFile(const std::string& module_folder) {
  const char* chosen = std::getenv("WAYSTONE_TFLITE");
  if (chosen != nullptr && *chosen != '\0') return std::string(chosen);
  const std::string beside = absl::StrCat(module_folder, "/tflite");
  for (const std::string& folder : {beside, std::string(WAYSTONE_TFLITE_DEFAULT)}) {
    for (const char* name : kNames) {
      std::string path = absl::StrCat(folder, "/", name);
      std::error_code ignored;
      if (std::filesystem::exists(path, ignored)) return path;
    }
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "there is no TensorFlow Lite library: neither ", kNames[0], " nor ", kNames[1], " is in ", beside,
      " or ", WAYSTONE_TFLITE_DEFAULT, "; run scripts/setup --for tflite, or name one with WAYSTONE_TFLITE"));
}

// Takes functions from the library by their C names; the first that is missing is remembered.
class Symbols {
 public:
  explicit Symbols(void* handle) : handle_(handle) {}

  template <typename Function>
  void Take(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* handle_;
  std::string missing_;
};

void TakeInterpreter(Symbols& symbols, tfl::Api& api) {
  symbols.Take(api.interpreter_options_create, "TfLiteInterpreterOptionsCreate");
  symbols.Take(api.interpreter_options_delete, "TfLiteInterpreterOptionsDelete");
  symbols.Take(api.interpreter_options_set_num_threads, "TfLiteInterpreterOptionsSetNumThreads");
  symbols.Take(api.interpreter_options_set_error_reporter, "TfLiteInterpreterOptionsSetErrorReporter");
  symbols.Take(api.interpreter_create, "TfLiteInterpreterCreate");
  symbols.Take(api.interpreter_delete, "TfLiteInterpreterDelete");
  symbols.Take(api.interpreter_get_input_tensor_count, "TfLiteInterpreterGetInputTensorCount");
  symbols.Take(api.interpreter_get_input_tensor, "TfLiteInterpreterGetInputTensor");
  symbols.Take(api.interpreter_get_output_tensor_count, "TfLiteInterpreterGetOutputTensorCount");
  symbols.Take(api.interpreter_get_output_tensor, "TfLiteInterpreterGetOutputTensor");
  symbols.Take(api.interpreter_resize_input_tensor, "TfLiteInterpreterResizeInputTensor");
  symbols.Take(api.interpreter_allocate_tensors, "TfLiteInterpreterAllocateTensors");
  symbols.Take(api.interpreter_modify_graph_with_delegate, "TfLiteInterpreterModifyGraphWithDelegate");
  symbols.Take(api.interpreter_reset_variable_tensors, "TfLiteInterpreterResetVariableTensors");
  symbols.Take(api.interpreter_invoke, "TfLiteInterpreterInvoke");
}

tfl::Api TakeApi(Symbols& symbols) {
  tfl::Api api = {};
  symbols.Take(api.version, "TfLiteVersion");
  symbols.Take(api.model_create_with_error_reporter, "TfLiteModelCreateWithErrorReporter");
  symbols.Take(api.model_delete, "TfLiteModelDelete");
  TakeInterpreter(symbols, api);
  symbols.Take(api.tensor_type, "TfLiteTensorType");
  symbols.Take(api.tensor_num_dims, "TfLiteTensorNumDims");
  symbols.Take(api.tensor_dim, "TfLiteTensorDim");
  symbols.Take(api.tensor_byte_size, "TfLiteTensorByteSize");
  symbols.Take(api.tensor_data, "TfLiteTensorData");
  symbols.Take(api.tensor_name, "TfLiteTensorName");
  symbols.Take(api.xnnpack_delegate_options_default, "TfLiteXNNPackDelegateOptionsDefault");
  symbols.Take(api.xnnpack_delegate_create, "TfLiteXNNPackDelegateCreate");
  symbols.Take(api.xnnpack_delegate_delete, "TfLiteXNNPackDelegateDelete");
  return api;
}

}  // namespace

absl::StatusOr<TfLiteLibrary> OpenTfLite(const std::string& module_folder) {
  WAYSTONE_ASSIGN_OR_RETURN(const std::string path, FindFile(module_folder));
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return absl::FailedPreconditionError(
        absl::StrCat("cannot open TensorFlow Lite: ", reason != nullptr ? reason : path.c_str()));
  }
  Symbols symbols(handle);
  const tfl::Api api = TakeApi(symbols);
  if (!symbols.missing().empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, " is no TensorFlow Lite with its C API and XNNPACK: it has no ", symbols.missing()));
  }
  using SetLogSeverity = int (*)(int severity);
  const auto set_log_severity = reinterpret_cast<SetLogSeverity>(dlsym(handle, kSetLogSeverity));
  if (set_log_severity != nullptr) set_log_severity(kLogErrors);
  return TfLiteLibrary{path, api.version(), api};
}

}  // namespace waystone
