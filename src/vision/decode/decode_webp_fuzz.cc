// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/decode_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  waystone::FuzzDecoder("RIFF", data, size);
  return 0;
}
