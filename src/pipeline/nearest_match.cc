// SPDX-License-Identifier: Apache-2.0
#include "pipeline/nearest_match.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace waystone {
namespace {

struct Nearest {
  size_t index = 0;
  float cosine = -2;  // less than any
};

std::span<const float> DescriptorOf(const FeatureSet& features, size_t index) {
  const size_t size = static_cast<size_t>(features.descriptor_size);
  return std::span(features.descriptors).subspan(index * size, size);
}

float Cosine(std::span<const float> a, std::span<const float> b) {
  // Four sums, so that the compiler can add them side by side.
  float sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= a.size(); i += 4) {
    for (size_t j = 0; j < 4; ++j) sums[j] += a[i + j] * b[i + j];
  }
  for (; i < a.size(); ++i) sums[0] += a[i] * b[i];
  return sums[0] + sums[1] + sums[2] + sums[3];
}

bool IsWhole(const FeatureSet& features) {
  return features.descriptor_size > 0 &&
         features.descriptors.size() ==
             features.points.size() * static_cast<size_t>(features.descriptor_size);
}

}  // namespace

std::vector<FeatureMatch> MatchNearest(const FeatureSet& a, const FeatureSet& b, float least_cosine) {
  if (!IsWhole(a) || !IsWhole(b) || a.descriptor_size != b.descriptor_size) return {};
  std::vector<Nearest> of_a(a.points.size());
  std::vector<Nearest> of_b(b.points.size());
  for (size_t i = 0; i < of_a.size(); ++i) {
    const std::span<const float> descriptor = DescriptorOf(a, i);
    for (size_t j = 0; j < of_b.size(); ++j) {
      const float cosine = Cosine(descriptor, DescriptorOf(b, j));
      if (cosine > of_a[i].cosine) of_a[i] = {j, cosine};
      if (cosine > of_b[j].cosine) of_b[j] = {i, cosine};
    }
  }
  std::vector<FeatureMatch> matches;
  for (size_t i = 0; i < of_a.size(); ++i) {
    const Nearest& nearest = of_a[i];
    if (nearest.cosine < least_cosine || of_b.empty() || of_b[nearest.index].index != i) continue;
    matches.push_back({static_cast<int>(i), static_cast<int>(nearest.index), std::min(nearest.cosine, 1.0F)});
  }
  return matches;
}

}  // namespace waystone
