// SPDX-License-Identifier: Apache-2.0
//
// Which features of two pictures show the same place, by their descriptors alone: each other's nearest
// neighbour, near enough. Thread-safe (no state).
#pragma once

#include <vector>

#include "types/prediction.h"

namespace waystone {

// Feature `a` of the one picture is feature `b` of the other; score in [0, 1].
struct FeatureMatch {
  int a = 0;
  int b = 0;
  float score = 0;
};

// Pairs of which each is the other's most similar one, with a cosine of at least `least_cosine`, in the order
// of `a`. Empty where the descriptors are of different sizes. Time and comparisons grow with the product of
// the numbers of features.
std::vector<FeatureMatch> MatchNearest(const FeatureSet& a, const FeatureSet& b, float least_cosine);

}  // namespace waystone
