// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "vision/decode/exif.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view exif(reinterpret_cast<const char*>(data), size);
  const int orientation = waystone::OrientationFromExif(exif);
  WAYSTONE_CHECK(orientation >= 1 && orientation <= 8, "an orientation is 1..8");
  return 0;
}
