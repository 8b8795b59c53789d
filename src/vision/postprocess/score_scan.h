// SPDX-License-Identifier: Apache-2.0
//
// The first look at a cell's class scores: of some 300,000 values of a picture a handful reach the threshold,
// so this comparison is most of a detector's decoding. SIMD through Highway, chosen at run time. Thread-safe
// (pure).
#pragma once

#include <span>

namespace waystone {

// True when a value is at least `floor`; NaN is not.
bool AnyReaches(std::span<const float> values, float floor);

}  // namespace waystone
