// SPDX-License-Identifier: Apache-2.0
//
// The last inner loops of preprocessing: one row of whole levels, 4 bytes a pixel (see row_kernels.h), to the
// elements of the input tensor. Built for every SIMD target by Highway; the best one for this CPU is chosen
// at the first call. Every target stores the same bits. Pure functions of their arguments; thread-safe.
//
// `planes` are where the three channels of the row begin; with kNhwc planes[0] is where its interleaved
// pixels begin. The fourth byte of a pixel must be 0.
#pragma once

#include <array>
#include <cstdint>

#include "types/model_spec.h"

namespace waystone {

// value = (level - shift[c]) * factor[c]: a difference and then a product, which no target can fuse and round
// otherwise.
struct Normalization {
  std::array<float, 3> shift = {0, 0, 0};
  std::array<float, 3> factor = {1, 1, 1};
};

// What each level of each channel becomes.
template <typename T>
using LevelTable = std::array<std::array<T, 256>, 3>;

void StoreFloats(const uint8_t* pixels, int count, const Normalization& normalization, Layout layout,
                 const std::array<float*, 3>& planes);

// IEEE binary16. `table` holds the same values, for targets without an instruction that rounds to nearest
// even.
void StoreHalves(const uint8_t* pixels, int count, const Normalization& normalization,
                 const LevelTable<uint16_t>& table, Layout layout, const std::array<uint16_t*, 3>& planes);

// level + offset[c], modulo 256.
void StoreBytes(const uint8_t* pixels, int count, const std::array<uint8_t, 3>& offset, Layout layout,
                const std::array<uint8_t*, 3>& planes);

// table[c][level].
void StoreBytesByTable(const uint8_t* pixels, int count, const LevelTable<uint8_t>& table, Layout layout,
                       const std::array<uint8_t*, 3>& planes);

}  // namespace waystone
