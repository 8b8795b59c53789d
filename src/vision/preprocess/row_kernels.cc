// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/row_kernels.h"

// Highway compiles this file once for each target; the order of the next lines is theirs.
// clang-format off
#include "hwy/cache_control.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vision/preprocess/row_kernels.cc"  // NOLINT(readability-identifier-naming)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace waystone {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kRowShift = kWeightBits - kRowLevelBits;
constexpr int16_t kRoundToLevel = 1 << (kSumLevelBits - 1);

// HWY_SCALAR has vectors of one lane only, so it takes the loops that finish what vectors leave over.
#if HWY_TARGET != HWY_SCALAR
// One column: both neighbours of each channel beside each other, times their weights.
HWY_INLINE hn::Vec<hn::Full128<int32_t>> ResizedPixel(const uint8_t* HWY_RESTRICT pair,
                                                      const int16_t* HWY_RESTRICT weights,
                                                      hn::Vec<hn::Full128<uint8_t>> channels) {
  const hn::Full64<uint8_t> d64;
  const hn::Full128<int16_t> d16;
  const hn::Full128<int32_t> d32;
  const auto samples = hn::BitCast(d16, hn::TableLookupBytesOr0(hn::LoadU(d64, pair), channels));
  auto rest = hn::Zero(d32);
  const auto sum = hn::ReorderWidenMulAccumulate(d32, samples, hn::LoadU(d16, weights), hn::Zero(d32), rest);
  return hn::ShiftRight<kRowShift>(hn::RearrangeToOddPlusEven(sum, rest));
}

// Columns from 0 on, two at a time, as far as whole loads stay in the row. Returns the first column left
// over.
HWY_INLINE int ResizeInBounds(const uint8_t* HWY_RESTRICT row, const uint8_t* next_row,
                              const BilinearColumns& columns, uint8_t first, int16_t* HWY_RESTRICT out) {
  constexpr uint8_t kZero = 0x80;
  const uint8_t last = static_cast<uint8_t>(2 - first);
  const uint8_t first_right = static_cast<uint8_t>(first + 3);
  const uint8_t last_right = static_cast<uint8_t>(last + 3);
  alignas(16) const uint8_t pattern[16] = {first, kZero, first_right, kZero, 1,     kZero, 4,     kZero,
                                           last,  kZero, last_right,  kZero, kZero, kZero, kZero, kZero};
  const hn::Full128<int16_t> d16;
  const auto channels = hn::Load(hn::Full128<uint8_t>(), pattern);
  const int32_t* HWY_RESTRICT offset = columns.offset.data();
  const int16_t* HWY_RESTRICT weights = columns.weights.data();
  const int in_bounds = columns.in_bounds;
  int i = 0;
  for (; i + 2 <= in_bounds; i += 2, weights += 2 * BilinearColumns::kWeights) {
    hwy::Prefetch(next_row + offset[i]);
    const auto even = ResizedPixel(row + offset[i], weights, channels);
    const auto odd = ResizedPixel(row + offset[i + 1], weights + BilinearColumns::kWeights, channels);
    hn::StoreU(hn::ReorderDemote2To(d16, even, odd), d16, out + 4 * i);
  }
  return i;
}
#else
HWY_INLINE int ResizeInBounds(const uint8_t*, const uint8_t*, const BilinearColumns&, uint8_t, int16_t*) {
  return 0;
}
#endif

void ResizeRow(const uint8_t* HWY_RESTRICT row, const uint8_t* next_row, int width,
               const BilinearColumns& columns, ColorOrder order, int16_t* HWY_RESTRICT out) {
  const int first = order == ColorOrder::kRgb ? 0 : 2;
  const int count = static_cast<int>(columns.offset.size());
  const int next = width > 1 ? 3 : 0;
  for (int i = ResizeInBounds(row, next_row, columns, static_cast<uint8_t>(first), out); i < count; ++i) {
    const int16_t* weights = columns.weights.data() + BilinearColumns::kWeights * static_cast<size_t>(i);
    for (int c = 0; c < 3; ++c) {
      const uint8_t* sample = row + columns.offset.data()[i] + (order == ColorOrder::kRgb ? c : 2 - c);
      out[4 * i + c] =
          static_cast<int16_t>((sample[0] * weights[0] + sample[next] * weights[1]) >> kRowShift);
    }
    out[4 * i + 3] = 0;
  }
}

#if HWY_TARGET != HWY_SCALAR
// The upper byte of each lane is the level.
HWY_INLINE hn::Vec<hn::ScalableTag<int16_t>> BlendVector(const int16_t* HWY_RESTRICT upper,
                                                         const int16_t* HWY_RESTRICT lower,
                                                         const BilinearRow& row) {
  const hn::ScalableTag<int16_t> d16;
  const auto sum = hn::Add(hn::MulHigh(hn::LoadU(d16, upper), hn::Set(d16, row.upper_weight)),
                           hn::MulHigh(hn::LoadU(d16, lower), hn::Set(d16, row.lower_weight)));
  return hn::ShiftLeft<8 - kSumLevelBits>(hn::Add(sum, hn::Set(d16, kRoundToLevel)));
}
#endif

void BlendRows(const int16_t* HWY_RESTRICT upper, const int16_t* HWY_RESTRICT lower, const BilinearRow& row,
               int count, uint8_t* HWY_RESTRICT pixels) {
  static_assert(kRowLevelBits + kWeightBits - 16 == kSumLevelBits,
                "the upper half of a product has these bits");
  const size_t samples = 4 * static_cast<size_t>(count);
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<uint8_t> d8;
  const size_t lanes = hn::Lanes(hn::ScalableTag<int16_t>());
  for (; i + 2 * lanes <= samples; i += 2 * lanes) {
    const auto first = hn::BitCast(d8, BlendVector(upper + i, lower + i, row));
    const auto second = hn::BitCast(d8, BlendVector(upper + i + lanes, lower + i + lanes, row));
    hn::StoreU(hn::ConcatOdd(d8, second, first), d8, pixels + i);
  }
#endif
  for (; i < samples; ++i) {
    const int sum = ((upper[i] * row.upper_weight) >> 16) + ((lower[i] * row.lower_weight) >> 16);
    pixels[i] = static_cast<uint8_t>((sum + kRoundToLevel) >> kSumLevelBits);
  }
}

// Four vectors of samples over all rows: the sums stay in registers.
HWY_INLINE void AverageBlock(const uint8_t* HWY_RESTRICT rows, size_t stride,
                             const float* HWY_RESTRICT weights, int row_count, float* HWY_RESTRICT out) {
  const hn::ScalableTag<float> df;
  const hn::Rebind<int32_t, decltype(df)> d32;
  const hn::Rebind<uint8_t, decltype(df)> d8;
  const size_t lanes = hn::Lanes(df);
  auto sum0 = hn::Zero(df);
  auto sum1 = sum0;
  auto sum2 = sum0;
  auto sum3 = sum0;
  for (int r = 0; r < row_count; ++r, rows += stride) {
    const auto weight = hn::Set(df, weights[r]);
    sum0 = hn::MulAdd(hn::ConvertTo(df, hn::PromoteTo(d32, hn::LoadU(d8, rows))), weight, sum0);
    sum1 = hn::MulAdd(hn::ConvertTo(df, hn::PromoteTo(d32, hn::LoadU(d8, rows + lanes))), weight, sum1);
    sum2 = hn::MulAdd(hn::ConvertTo(df, hn::PromoteTo(d32, hn::LoadU(d8, rows + 2 * lanes))), weight, sum2);
    sum3 = hn::MulAdd(hn::ConvertTo(df, hn::PromoteTo(d32, hn::LoadU(d8, rows + 3 * lanes))), weight, sum3);
  }
  hn::StoreU(sum0, df, out);
  hn::StoreU(sum1, df, out + lanes);
  hn::StoreU(sum2, df, out + 2 * lanes);
  hn::StoreU(sum3, df, out + 3 * lanes);
}

void AverageRows(const uint8_t* HWY_RESTRICT rows, size_t stride, const float* HWY_RESTRICT weights,
                 int row_count, int count, float* HWY_RESTRICT out) {
  const size_t samples = static_cast<size_t>(count);
  const size_t block = 4 * hn::Lanes(hn::ScalableTag<float>());
  size_t i = 0;
  for (; i + block <= samples; i += block) AverageBlock(rows + i, stride, weights, row_count, out + i);
  if (i < samples && samples >= block) {  // the last block overlaps the one before
    AverageBlock(rows + samples - block, stride, weights, row_count, out + samples - block);
    return;
  }
  for (; i < samples; ++i) {
    float sum = 0;
    for (int r = 0; r < row_count; ++r) sum += weights[r] * rows[static_cast<size_t>(r) * stride + i];
    out[i] = sum;
  }
}

// Added before a mean is cut off: the half, and more than float sums err by. Means of a few pixels often lie
// exactly between two levels; they always become the upper one, whatever the order of the sums.
constexpr float kRoundMean = 0.5F + 1.0F / 4096;

// The weighted mean of `count` RGB pixels.
#if HWY_TARGET != HWY_SCALAR
HWY_INLINE void WeightedMean(const float* HWY_RESTRICT rgb, const float* HWY_RESTRICT weights, int count,
                             uint8_t* HWY_RESTRICT mean) {
  const hn::Full128<float> df;
  const hn::Full128<int32_t> d32;
  const hn::Rebind<uint8_t, decltype(d32)> d8;
  auto even = hn::Set(df, kRoundMean);
  auto odd = hn::Zero(df);
  int i = 0;
  for (; i + 2 <= count; i += 2, rgb += 6) {
    even = hn::MulAdd(hn::LoadU(df, rgb), hn::Set(df, weights[i]), even);
    odd = hn::MulAdd(hn::LoadU(df, rgb + 3), hn::Set(df, weights[i + 1]), odd);
  }
  if (i < count) even = hn::MulAdd(hn::LoadU(df, rgb), hn::Set(df, weights[i]), even);
  hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(d32, hn::Add(even, odd))), d8, mean);
}
#else
HWY_INLINE void WeightedMean(const float* HWY_RESTRICT rgb, const float* HWY_RESTRICT weights, int count,
                             uint8_t* HWY_RESTRICT mean) {
  for (int c = 0; c < 3; ++c) {
    float sum = kRoundMean;
    for (int i = 0; i < count; ++i) sum += weights[i] * rgb[3 * static_cast<ptrdiff_t>(i) + c];
    mean[c] = static_cast<uint8_t>(HWY_MIN(sum, 255.0F));
  }
}
#endif

void AverageColumns(const float* HWY_RESTRICT row, int origin, const AreaAxis& axis, ColorOrder order,
                    uint8_t* HWY_RESTRICT pixels) {
  const size_t first = order == ColorOrder::kRgb ? 0 : 2;
  const float* HWY_RESTRICT weights = axis.weights.data();
  const int32_t* HWY_RESTRICT start = axis.start.data();
  const size_t count = axis.first.size();
  for (size_t i = 0; i < count; ++i, pixels += 4) {
    uint8_t mean[4];
    WeightedMean(row + 3 * static_cast<ptrdiff_t>(axis.first.data()[i] - origin), weights + start[i],
                 start[i + 1] - start[i], mean);
    pixels[0] = mean[first];
    pixels[1] = mean[1];
    pixels[2] = mean[2 - first];
    pixels[3] = 0;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace waystone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waystone {

HWY_EXPORT(ResizeRow);
HWY_EXPORT(BlendRows);
HWY_EXPORT(AverageRows);
HWY_EXPORT(AverageColumns);

void ResizeRow(const uint8_t* row, const uint8_t* next_row, int width, const BilinearColumns& columns,
               ColorOrder order, int16_t* out) {
  HWY_DYNAMIC_DISPATCH(ResizeRow)(row, next_row, width, columns, order, out);
}

void BlendRows(const int16_t* upper, const int16_t* lower, const BilinearRow& row, int count,
               uint8_t* pixels) {
  HWY_DYNAMIC_DISPATCH(BlendRows)(upper, lower, row, count, pixels);
}

void AverageRows(const uint8_t* rows, size_t stride, const float* weights, int row_count, int count,
                 float* out) {
  HWY_DYNAMIC_DISPATCH(AverageRows)(rows, stride, weights, row_count, count, out);
}

void AverageColumns(const float* row, int origin, const AreaAxis& axis, ColorOrder order, uint8_t* pixels) {
  HWY_DYNAMIC_DISPATCH(AverageColumns)(row, origin, axis, order, pixels);
}

}  // namespace waystone
#endif  // HWY_ONCE
