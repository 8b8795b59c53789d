// SPDX-License-Identifier: Apache-2.0
//
// What an engine adapter exports: one C function that returns an EngineModule. Adapters and program share C++
// types, so both must come from one compiler with the same sanitizers: the ABI string says which, and the
// registry compares it before it touches anything else. It is the first member for ever, so a module of any
// age can be read that far. Only the entry is visible; the adapter's own copies of our static libraries stay
// inside it.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

#include "engine/engine.h"

// To be raised with every change of engine.h or of a type that crosses it.
#define WAYSTONE_ENGINE_ABI_VERSION "1"

#if defined(__SANITIZE_ADDRESS__)
#define WAYSTONE_ENGINE_ABI_SANITIZER " asan"
#elif defined(__SANITIZE_THREAD__)
#define WAYSTONE_ENGINE_ABI_SANITIZER " tsan"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WAYSTONE_ENGINE_ABI_SANITIZER " asan"
#elif __has_feature(thread_sanitizer)
#define WAYSTONE_ENGINE_ABI_SANITIZER " tsan"
#endif
#endif
#ifndef WAYSTONE_ENGINE_ABI_SANITIZER
#define WAYSTONE_ENGINE_ABI_SANITIZER ""
#endif

namespace waystone {

// "waystone-engine 1, Clang 19.1.7, asan" or the like.
inline constexpr char kEngineModuleAbi[] =
    "waystone-engine " WAYSTONE_ENGINE_ABI_VERSION ", compiler " __VERSION__ WAYSTONE_ENGINE_ABI_SANITIZER;
inline constexpr char kEngineModuleEntry[] = "waystone_engine_module";

struct EngineModule {
  const char* abi = kEngineModuleAbi;
  // Makes the engine. `folder` is where the module lies; libraries it brings along are beside it.
  absl::StatusOr<std::unique_ptr<Engine>> (*create)(const std::string& folder) = nullptr;
};

using EngineModuleEntry = const EngineModule* (*)();

}  // namespace waystone

// Defines the entry of a module; `create` is a function as EngineModule wants it.
#define WAYSTONE_ENGINE_MODULE(create)                                                            \
  extern "C" __attribute__((visibility("default"))) const ::waystone::EngineModule*               \
  waystone_engine_module() {                                                                      \
    static constexpr ::waystone::EngineModule kModule = {::waystone::kEngineModuleAbi, (create)}; \
    return &kModule;                                                                              \
  }
