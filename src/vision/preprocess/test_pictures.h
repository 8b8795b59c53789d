// SPDX-License-Identifier: Apache-2.0
//
// Pictures for the tests of preprocessing: noise, which shows every mistake in an index or a weight, with
// rows that are further apart than they need be and bytes between them that no one may use. Values;
// thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "types/image.h"

namespace waystone {

struct NoisePicture {
  NoisePicture(int width, int height, size_t gap = 0, unsigned seed = 1)
      : stride(3 * static_cast<size_t>(width) + gap), view{nullptr, width, height, stride} {
    std::mt19937 random(seed);
    // Without the gap after the last row: reading beyond the picture is reading beyond the allocation.
    bytes.resize(stride * static_cast<size_t>(height) - gap);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    view.data = bytes.data();
  }
  NoisePicture(const NoisePicture&) = delete;
  NoisePicture& operator=(const NoisePicture&) = delete;

  size_t stride;
  std::vector<uint8_t> bytes;
  ImageView view;
};

}  // namespace waystone
