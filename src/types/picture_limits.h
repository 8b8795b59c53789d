// SPDX-License-Identifier: Apache-2.0
//
// Budgets for a picture from outside; each is checked from the header, before memory is taken. A value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace waystone {

struct PictureLimits {
  size_t max_encoded_bytes = size_t{32} << 20;  // of the file
  int64_t max_pixels = int64_t{1} << 26;  // width * height as the header says, before any scaling (64 Mi)
  int64_t max_scaled_source_pixels = int64_t{1}
                                     << 27;     // the same for a JPEG that is decoded at a smaller scale
  int max_side = 32768;                         // pixels
  size_t max_working_bytes = size_t{56} << 20;  // a decoder's own memory beside the decoded pixels
};

}  // namespace waystone
