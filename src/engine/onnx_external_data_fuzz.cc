// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "engine/onnx_external_data.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)waystone::HasExternalData({reinterpret_cast<const char*>(data), size});
  return 0;
}
