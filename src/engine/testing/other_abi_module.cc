// SPDX-License-Identifier: Apache-2.0
#include "engine/module.h"

// A module of another age: nothing past its ABI string may be read.
extern "C" __attribute__((visibility("default"))) const waystone::EngineModule* waystone_engine_module() {
  static constexpr const char* kModule[] = {"waystone-engine 0, compiler 1.2.3"};
  return reinterpret_cast<const waystone::EngineModule*>(kModule);
}
