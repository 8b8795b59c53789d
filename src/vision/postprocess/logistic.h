// SPDX-License-Identifier: Apache-2.0
//
// The logistic function and the way back, for decoders that compare raw values with a threshold before they
// compute anything. Thread-safe (pure).
#pragma once

#include <cmath>

namespace waystone {

inline float Logistic(float value) { return 1 / (1 + std::exp(-value)); }

// A value whose logistic function is just below `score`; infinite at the lower end.
inline float LogitBelow(float score) {
  if (!(score > 0)) return -INFINITY;
  if (score >= 1) return 15;  // the logistic function of more is 1 in single precision
  const float logit = std::log(score / (1 - score));
  return logit - 1e-4F * (1 + std::abs(logit));
}

}  // namespace waystone
