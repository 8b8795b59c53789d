// SPDX-License-Identifier: Apache-2.0
#include "engine/module.h"

// A module of another age: nothing past its ABI string may be read.
extern "C" __attribute__((visibility("default"))) const void* waystone_engine_module() {
  static constexpr const char* kModule[] = {"waystone-engine 0, compiler 1.2.3"};
  return kModule;
}
