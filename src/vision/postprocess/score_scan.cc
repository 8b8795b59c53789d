// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/score_scan.h"

#include <cstddef>

// clang-format off: the order of the two includes is Highway's contract; it includes this file once a target
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vision/postprocess/score_scan.cc"  // NOLINT(readability-identifier-naming)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace waystone::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

bool AnyReachesSimd(const float* values, size_t count, float floor) {
  const hn::ScalableTag<float> lanes;
  const size_t step = hn::Lanes(lanes);
  const auto least = hn::Set(lanes, floor);
  auto reached = hn::FirstN(lanes, 0);
  size_t i = 0;
  for (; i + step <= count; i += step) reached = hn::Or(reached, hn::Ge(hn::LoadU(lanes, values + i), least));
  bool any = !hn::AllFalse(lanes, reached);
  for (; i < count; ++i) any |= values[i] >= floor;
  return any;
}

}  // namespace waystone::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waystone {

HWY_EXPORT(AnyReachesSimd);

bool AnyReaches(std::span<const float> values, float floor) {
  return HWY_DYNAMIC_DISPATCH(AnyReachesSimd)(values.data(), values.size(), floor);
}

}  // namespace waystone
#endif  // HWY_ONCE
