// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/delegates.h"

#include <dlfcn.h>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "base/log.h"
#include "base/status.h"
#include "engine/load_checks.h"
#include "engine/tflite/conversion.h"

namespace waystone {
namespace {

constexpr char kCpu[] = "cpu";
constexpr char kLibraryOption[] = "library";
constexpr char kXnnPackOption[] = "xnnpack";
constexpr size_t kLongestText = 1000;  // of a delegate's error

// The interface has no user data for its error callback, so what is said during a call goes here.
thread_local std::string delegate_error;

void KeepError(const char* text) {
  if (text != nullptr && delegate_error.size() < kLongestText) absl::StrAppend(&delegate_error, text, " ");
}

// One delegate of the library, with `options` as its keys and values.
absl::StatusOr<DelegatePtr> MakeExternal(const std::string& device, tfl::CreateDelegate create,
                                         tfl::DestroyDelegate destroy,
                                         const std::map<std::string, std::string>& options) {
  std::vector<const char*> keys;
  std::vector<const char*> values;
  for (const auto& [key, value] : options) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  const std::string doing = absl::StrCat("cannot use the delegate '", LogSafe(device), "'");
  return Guarded(absl::StatusCode::kFailedPrecondition, doing, [&]() -> absl::StatusOr<DelegatePtr> {
    delegate_error.clear();
    DelegatePtr delegate(create(keys.data(), values.data(), keys.size(), KeepError), destroy);
    if (delegate != nullptr) return delegate;
    return absl::FailedPreconditionError(
        absl::StrCat(doing, ": ", delegate_error.empty() ? "it gave no reason" : LogSafe(delegate_error)));
  });
}

}  // namespace

bool Delegates::IsExternal(const LoadOptions& options) {
  return options.device != kCpu && options.device_options.contains(kLibraryOption);
}

absl::StatusOr<DelegateSource> Delegates::Choose(const LoadOptions& options) {
  if (!IsExternal(options)) return ChooseXnnPack(options);
  if (options.precision != "f32") {
    return absl::FailedPreconditionError(
        absl::StrCat("a delegate runs a model at the precision of its graph; ask for f32 and not ",
                     LogSafe(options.precision), ", and set others by the delegate's own options"));
  }
  std::map<std::string, std::string> given = options.device_options;
  const std::string library = given.extract(kLibraryOption).mapped();
  WAYSTONE_ASSIGN_OR_RETURN(const External external, OpenExternal(options.device, library));
  return DelegateSource{[device = options.device, external, given = std::move(given)] {
                          return MakeExternal(device, external.create, external.destroy, given);
                        },
                        true};
}

absl::StatusOr<DelegateSource> Delegates::ChooseXnnPack(const LoadOptions& options) const {
  constexpr absl::string_view kKnown[] = {kXnnPackOption};
  WAYSTONE_RETURN_IF_ERROR(
      CheckOptionNames("TensorFlow Lite's device 'cpu'", options.device_options, kKnown));
  bool wanted = true;
  const auto option = options.device_options.find(kXnnPackOption);
  if (option != options.device_options.end() && !absl::SimpleAtob(option->second, &wanted)) {
    return absl::InvalidArgumentError(absl::StrCat("TensorFlow Lite's option ", kXnnPackOption, " is '",
                                                   LogSafe(option->second), "'; it takes true or false"));
  }
  if (!wanted) return DelegateSource{};
  return DelegateSource{[api = &api_, threads = options.threads]() -> absl::StatusOr<DelegatePtr> {
    tfl::XnnPackOptions xnnpack = api->xnnpack_delegate_options_default();
    xnnpack.num_threads = threads;
    DelegatePtr delegate(api->xnnpack_delegate_create(&xnnpack), api->xnnpack_delegate_delete);
    if (delegate == nullptr) return absl::InternalError("cannot start XNNPACK");
    return delegate;
  }};
}

absl::StatusOr<Delegates::External> Delegates::OpenExternal(const std::string& device,
                                                            const std::string& library) {
  const MutexLock lock(mutex_);
  const auto known = externals_.find(device);
  if (known != externals_.end()) {
    if (known->second.library == library) return known->second;
    return absl::InvalidArgumentError(absl::StrCat("the delegate '", LogSafe(device),
                                                   "' is already loaded from ", known->second.library,
                                                   ", not from ", LogSafe(library)));
  }
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return absl::FailedPreconditionError(absl::StrCat("cannot load the delegate '", LogSafe(device),
                                                      "': ", LogSafe(reason != nullptr ? reason : library)));
  }
  const External external = {library,
                             reinterpret_cast<tfl::CreateDelegate>(dlsym(handle, tfl::kCreateDelegate)),
                             reinterpret_cast<tfl::DestroyDelegate>(dlsym(handle, tfl::kDestroyDelegate))};
  if (external.create == nullptr || external.destroy == nullptr) {
    dlclose(handle);
    return absl::FailedPreconditionError(
        absl::StrCat(LogSafe(library), " is no delegate of TensorFlow Lite: it does not export ",
                     tfl::kCreateDelegate, " and ", tfl::kDestroyDelegate));
  }
  return externals_.emplace(device, external).first->second;
}

}  // namespace waystone
