// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "engine/tflite_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)waystone::ReadTfLiteGraph({reinterpret_cast<const char*>(data), size});
  return 0;
}
