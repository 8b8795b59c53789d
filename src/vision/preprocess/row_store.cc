// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/row_store.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace waystone {

Normalization MakeNormalization(const PreprocessSpec& spec) {
  Normalization normalization;
  for (size_t c = 0; c < 3; ++c) {
    normalization.shift[c] = static_cast<float>(static_cast<double>(spec.mean[c]) / spec.scale);
    normalization.factor[c] = static_cast<float>(static_cast<double>(spec.scale) / spec.std[c]);
  }
  return normalization;
}

ValueTables::ValueTables(const PreprocessSpec& spec) : normalization(MakeNormalization(spec)) {
  const double least = spec.type == DataType::kInt8 ? -128 : 0;
  for (size_t c = 0; c < 3; ++c) {
    for (size_t level = 0; level < 256; ++level) {
      // As StoreHalves computes it, so that both give the same bits.
      const float single = (static_cast<float>(level) - normalization.shift[c]) * normalization.factor[c];
      halves[c][level] = FloatToHalf(single);
      const double value = (static_cast<double>(level) * spec.scale - spec.mean[c]) / spec.std[c];
      const double rounded = std::clamp(std::nearbyint(value), least, least + 255);
      bytes[c][level] = static_cast<uint8_t>(static_cast<int>(rounded) & 0xFF);
      if (level == 0) offset[c] = bytes[c][0];
      bytes_are_offset = bytes_are_offset && bytes[c][level] == ((offset[c] + level) & 0xFF);
    }
  }
}

template <typename T>
std::array<T*, 3> RowStore::Planes(int y) const {
  T* const base = reinterpret_cast<T*>(row_.data());
  const size_t line = static_cast<size_t>(y) * static_cast<size_t>(spec_.width);
  if (spec_.layout == Layout::kNhwc) return {base + 3 * line, base + 3 * line, base + 3 * line};
  const size_t plane = static_cast<size_t>(spec_.width) * static_cast<size_t>(spec_.height);
  return {base + line, base + plane + line, base + 2 * plane + line};
}

void RowStore::Store(int y, const uint8_t* pixels) const {
  switch (spec_.type) {
    case DataType::kFloat32:
      StoreFloats(pixels, spec_.width, values_.normalization, spec_.layout, Planes<float>(y));
      return;
    case DataType::kFloat16:
      StoreHalves(pixels, spec_.width, values_.normalization, values_.halves, spec_.layout,
                  Planes<uint16_t>(y));
      return;
    default:
      if (values_.bytes_are_offset) {
        StoreBytes(pixels, spec_.width, values_.offset, spec_.layout, Planes<uint8_t>(y));
      } else {
        StoreBytesByTable(pixels, spec_.width, values_.bytes, spec_.layout, Planes<uint8_t>(y));
      }
      return;
  }
}

void RowStore::StoreRepeated(int begin, int end, const uint8_t* pixels) const {
  if (begin >= end) return;
  Store(begin, pixels);
  const bool planar = spec_.layout == Layout::kNchw;
  const size_t line_bytes = static_cast<size_t>(spec_.width) * ByteSize(spec_.type) * (planar ? 1 : 3);
  const size_t plane_bytes = planar ? line_bytes * static_cast<size_t>(spec_.height) : 0;
  for (size_t plane = 0; plane < (planar ? 3U : 1U); ++plane) {
    std::byte* const first = row_.data() + plane * plane_bytes + static_cast<size_t>(begin) * line_bytes;
    for (int y = begin + 1; y < end; ++y)
      std::memcpy(first + static_cast<size_t>(y - begin) * line_bytes, first, line_bytes);
  }
}

}  // namespace waystone
