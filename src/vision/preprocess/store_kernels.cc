// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/store_kernels.h"

// Highway compiles this file once for each target; the order of the next lines is theirs.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vision/preprocess/store_kernels.cc"  // NOLINT(readability-identifier-naming)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace waystone {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// HWY_SCALAR has vectors of one lane only, so it takes the loops that finish what vectors leave over.
#if HWY_TARGET != HWY_SCALAR

// Channel kChannel of the pixels in a vector of 32-bit lanes.
template <int kChannel, class D, class V>
HWY_INLINE hn::Vec<D> NormalizedChannel(D df, V pixels, const Normalization& normalization) {
  const hn::Rebind<uint32_t, D> d32;
  const hn::Rebind<int32_t, D> signed32;
  auto level = hn::ShiftRight<8 * kChannel>(pixels);
  if (kChannel < 2) level = hn::And(level, hn::Set(d32, 0xFF));
  const auto shifted =
      hn::Sub(hn::ConvertTo(df, hn::BitCast(signed32, level)), hn::Set(df, normalization.shift[kChannel]));
  return hn::Mul(shifted, hn::Set(df, normalization.factor[kChannel]));
}

// The four values of one pixel, the last of which is 0.
HWY_INLINE hn::Vec<hn::Full128<float>> NormalizedPixel(const uint8_t* HWY_RESTRICT pixel,
                                                       hn::Vec<hn::Full128<float>> shift,
                                                       hn::Vec<hn::Full128<float>> factor) {
  const hn::Full128<float> df;
  const hn::Full128<int32_t> d32;
  const hn::Rebind<uint8_t, decltype(d32)> d8;
  return hn::Mul(hn::Sub(hn::ConvertTo(df, hn::PromoteTo(d32, hn::LoadU(d8, pixel))), shift), factor);
}

HWY_INLINE hn::Vec<hn::Full128<float>> FourOf(const std::array<float, 3>& values) {
  alignas(16) const float four[4] = {values[0], values[1], values[2], 0};
  return hn::Load(hn::Full128<float>(), four);
}

#endif

HWY_INLINE float NormalizedLevel(uint8_t level, const Normalization& normalization, size_t channel) {
  return (static_cast<float>(level) - normalization.shift[channel]) * normalization.factor[channel];
}

void StoreFloats(const uint8_t* HWY_RESTRICT pixels, int count, const Normalization& normalization,
                 Layout layout, const std::array<float*, 3>& planes) {
  const size_t pixel_count = static_cast<size_t>(count);
  const bool planar = layout == Layout::kNchw;
  float* const HWY_RESTRICT plane0 = planes[0];
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  if (planar) {
    float* const HWY_RESTRICT plane1 = planes[1];
    float* const HWY_RESTRICT plane2 = planes[2];
    const hn::ScalableTag<float> df;
    const hn::Rebind<uint32_t, decltype(df)> d32;
    const hn::Repartition<uint8_t, decltype(df)> d8;
    const size_t lanes = hn::Lanes(df);
    for (; i + lanes <= pixel_count; i += lanes) {
      const auto four = hn::BitCast(d32, hn::LoadU(d8, pixels + 4 * i));
      hn::StoreU(NormalizedChannel<0>(df, four, normalization), df, plane0 + i);
      hn::StoreU(NormalizedChannel<1>(df, four, normalization), df, plane1 + i);
      hn::StoreU(NormalizedChannel<2>(df, four, normalization), df, plane2 + i);
    }
  } else {
    const auto shift = FourOf(normalization.shift);
    const auto factor = FourOf(normalization.factor);
    for (; i + 2 <= pixel_count; ++i) {  // the fourth value of a pixel gives way to the next pixel
      hn::StoreU(NormalizedPixel(pixels + 4 * i, shift, factor), hn::Full128<float>(), plane0 + 3 * i);
    }
  }
#endif
  for (; i < pixel_count; ++i) {
    for (size_t c = 0; c < 3; ++c) {
      (planar ? planes[c][i] : plane0[3 * i + c]) = NormalizedLevel(pixels[4 * i + c], normalization, c);
    }
  }
}

// Pixels from `begin` on.
template <typename T>
HWY_INLINE void StoreByTable(const uint8_t* HWY_RESTRICT pixels, size_t begin, size_t end,
                             const LevelTable<T>& table, Layout layout, const std::array<T*, 3>& planes) {
  const bool planar = layout == Layout::kNchw;
  const size_t step = planar ? 1 : 3;
  const T* const HWY_RESTRICT table0 = table[0].data();
  const T* const HWY_RESTRICT table1 = table[1].data();
  const T* const HWY_RESTRICT table2 = table[2].data();
  T* const HWY_RESTRICT plane0 = planes[0];
  T* const HWY_RESTRICT plane1 = planar ? planes[1] : planes[0] + 1;
  T* const HWY_RESTRICT plane2 = planar ? planes[2] : planes[0] + 2;
  for (size_t i = begin; i < end; ++i) {
    plane0[i * step] = table0[pixels[4 * i]];
    plane1[i * step] = table1[pixels[4 * i + 1]];
    plane2[i * step] = table2[pixels[4 * i + 2]];
  }
}

void StoreHalves(const uint8_t* HWY_RESTRICT pixels, int count, const Normalization& normalization,
                 const LevelTable<uint16_t>& table, Layout layout, const std::array<uint16_t*, 3>& planes) {
  const size_t pixel_count = static_cast<size_t>(count);
  size_t i = 0;
#if HWY_ARCH_X86 && \
    HWY_TARGET <= HWY_AVX2  // with F16C; other conversions of Highway's cut off instead of rounding
  if (layout == Layout::kNchw) {
    const hn::ScalableTag<float> df;
    const hn::Rebind<uint32_t, decltype(df)> d32;
    const hn::Repartition<uint8_t, decltype(df)> d8;
    const hn::Rebind<hwy::float16_t, decltype(df)> d16;
    const hn::Rebind<uint16_t, decltype(df)> bits;
    const size_t lanes = hn::Lanes(df);
    for (; i + lanes <= pixel_count; i += lanes) {
      const auto four = hn::BitCast(d32, hn::LoadU(d8, pixels + 4 * i));
      const auto half0 = hn::DemoteTo(d16, NormalizedChannel<0>(df, four, normalization));
      const auto half1 = hn::DemoteTo(d16, NormalizedChannel<1>(df, four, normalization));
      const auto half2 = hn::DemoteTo(d16, NormalizedChannel<2>(df, four, normalization));
      hn::StoreU(hn::BitCast(bits, half0), bits, planes[0] + i);
      hn::StoreU(hn::BitCast(bits, half1), bits, planes[1] + i);
      hn::StoreU(hn::BitCast(bits, half2), bits, planes[2] + i);
    }
  } else {
    const hn::Rebind<hwy::float16_t, hn::Full128<float>> d16;
    const hn::Rebind<uint16_t, hn::Full128<float>> bits;
    const auto shift = FourOf(normalization.shift);
    const auto factor = FourOf(normalization.factor);
    for (; i + 2 <= pixel_count; ++i) {
      const auto half = hn::DemoteTo(d16, NormalizedPixel(pixels + 4 * i, shift, factor));
      hn::StoreU(hn::BitCast(bits, half), bits, planes[0] + 3 * i);
    }
  }
#else
  (void)normalization;
#endif
  StoreByTable(pixels, i, pixel_count, table, layout, planes);
}

#if HWY_TARGET != HWY_SCALAR
HWY_INLINE size_t StoreBytesPlanar(const uint8_t* HWY_RESTRICT pixels, size_t count,
                                   const std::array<uint8_t, 3>& offset,
                                   const std::array<uint8_t*, 3>& planes) {
  const hn::ScalableTag<uint8_t> d8;
  const size_t lanes = hn::Lanes(d8);
  const auto offset0 = hn::Set(d8, offset[0]);
  const auto offset1 = hn::Set(d8, offset[1]);
  const auto offset2 = hn::Set(d8, offset[2]);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d8)> c0, c1, c2, unused;
    hn::LoadInterleaved4(d8, pixels + 4 * i, c0, c1, c2, unused);
    hn::StoreU(hn::Add(c0, offset0), d8, planes[0] + i);
    hn::StoreU(hn::Add(c1, offset1), d8, planes[1] + i);
    hn::StoreU(hn::Add(c2, offset2), d8, planes[2] + i);
  }
  return i;
}

// Four pixels at a time, closed up to 12 bytes; the 4 bytes stored after them give way to the next pixels.
HWY_INLINE size_t StoreBytesInterleaved(const uint8_t* HWY_RESTRICT pixels, size_t count,
                                        const std::array<uint8_t, 3>& offset, uint8_t* HWY_RESTRICT out) {
  alignas(16) static constexpr uint8_t kClosedUp[16] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15};
  alignas(16) uint8_t offsets[16];
  for (size_t i = 0; i < 16; ++i) offsets[i] = i % 4 < 3 ? offset[i % 4] : 0;
  const hn::Full128<uint8_t> d8;
  const auto closed_up = hn::Load(d8, kClosedUp);
  const auto added = hn::Load(d8, offsets);
  size_t i = 0;
  for (; 3 * i + 16 <= 3 * count; i += 4) {
    const auto four = hn::Add(hn::LoadU(d8, pixels + 4 * i), added);
    hn::StoreU(hn::TableLookupBytes(four, closed_up), d8, out + 3 * i);
  }
  return i;
}
#else
HWY_INLINE size_t StoreBytesPlanar(const uint8_t*, size_t, const std::array<uint8_t, 3>&,
                                   const std::array<uint8_t*, 3>&) {
  return 0;
}
HWY_INLINE size_t StoreBytesInterleaved(const uint8_t*, size_t, const std::array<uint8_t, 3>&, uint8_t*) {
  return 0;
}
#endif

void StoreBytes(const uint8_t* HWY_RESTRICT pixels, int count, const std::array<uint8_t, 3>& offset,
                Layout layout, const std::array<uint8_t*, 3>& planes) {
  const size_t pixel_count = static_cast<size_t>(count);
  const bool planar = layout == Layout::kNchw;
  size_t i = planar ? StoreBytesPlanar(pixels, pixel_count, offset, planes)
                    : StoreBytesInterleaved(pixels, pixel_count, offset, planes[0]);
  for (; i < pixel_count; ++i) {
    for (size_t c = 0; c < 3; ++c) {
      (planar ? planes[c][i] : planes[0][3 * i + c]) = static_cast<uint8_t>(pixels[4 * i + c] + offset[c]);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace waystone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waystone {

HWY_EXPORT(StoreFloats);
HWY_EXPORT(StoreHalves);
HWY_EXPORT(StoreBytes);

void StoreFloats(const uint8_t* pixels, int count, const Normalization& normalization, Layout layout,
                 const std::array<float*, 3>& planes) {
  HWY_DYNAMIC_DISPATCH(StoreFloats)(pixels, count, normalization, layout, planes);
}

void StoreHalves(const uint8_t* pixels, int count, const Normalization& normalization,
                 const LevelTable<uint16_t>& table, Layout layout, const std::array<uint16_t*, 3>& planes) {
  HWY_DYNAMIC_DISPATCH(StoreHalves)(pixels, count, normalization, table, layout, planes);
}

void StoreBytes(const uint8_t* pixels, int count, const std::array<uint8_t, 3>& offset, Layout layout,
                const std::array<uint8_t*, 3>& planes) {
  HWY_DYNAMIC_DISPATCH(StoreBytes)(pixels, count, offset, layout, planes);
}

void StoreBytesByTable(const uint8_t* pixels, int count, const LevelTable<uint8_t>& table, Layout layout,
                       const std::array<uint8_t*, 3>& planes) {
  HWY_STATIC_DISPATCH(StoreByTable)(pixels, 0, static_cast<size_t>(count), table, layout, planes);
}

}  // namespace waystone
#endif  // HWY_ONCE
