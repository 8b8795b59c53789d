// SPDX-License-Identifier: Apache-2.0
//
// From rows of whole levels to the lines of the input tensor, whatever its type and layout. ValueTables is
// immutable and thread-safe; RowStore is confined to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "types/model_spec.h"
#include "vision/preprocess/store_kernels.h"

namespace waystone {

// (level * scale - mean) / std as (level - mean / scale) * (scale / std).
Normalization MakeNormalization(const PreprocessSpec& spec);

// What each of the 256 levels becomes, worked out once for a model.
struct ValueTables {
  explicit ValueTables(const PreprocessSpec& spec);

  Normalization normalization;
  LevelTable<uint16_t> halves = {};  // kFloat16
  LevelTable<uint8_t> bytes =
      {};  // kUint8, kInt8 (two's complement): to the nearest, ties to even, saturated
  std::array<uint8_t, 3> offset = {0, 0, 0};
  bool bytes_are_offset = true;  // bytes[c][level] == level + offset[c] modulo 256: no table needed
};

class RowStore {
 public:
  // `row` is the whole tensor row, aligned to its elements; `spec` and `values` must outlive the store.
  RowStore(const PreprocessSpec& spec, const ValueTables& values, std::span<std::byte> row)
      : spec_(spec), values_(values), row_(row) {}

  // Stores spec.width pixels of 4 bytes as line `y`.
  void Store(int y, const uint8_t* pixels) const;
  // Stores the same pixels as lines [begin, end).
  void StoreRepeated(int begin, int end, const uint8_t* pixels) const;

 private:
  template <typename T>
  std::array<T*, 3> Planes(int y) const;

  const PreprocessSpec& spec_;
  const ValueTables& values_;
  const std::span<std::byte> row_;
};

}  // namespace waystone
