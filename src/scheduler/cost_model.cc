// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cost_model.h"

#include <algorithm>
#include <cmath>

namespace waystone {
namespace {

constexpr double kRate = 0.1;         // of a new sample, once there are enough
constexpr double kFarDeviations = 4;  // beyond this many deviations a sample counts as no further
constexpr int64_t kMostSizes = 1024;

}  // namespace

void CostModel::Observe(int64_t rows, Duration took) {
  if (!sizes_.contains(rows) && sizes_.size() >= kMostSizes) return;
  Size& size = sizes_[rows];
  double sample = static_cast<double>(took.count());
  ++size.samples;
  if (size.samples == 1) {
    size.mean_ns = sample;
    size.deviation_ns = sample / 10;
    return;
  }
  // A floor of a tenth of the mean, so that a very steady model still follows when its speed changes.
  const double reach = kFarDeviations * std::max(size.deviation_ns, size.mean_ns / 10);
  sample = std::clamp(sample, size.mean_ns - reach, size.mean_ns + reach);
  const double rate = std::max(kRate, 1.0 / static_cast<double>(size.samples));
  size.deviation_ns += rate * (std::abs(sample - size.mean_ns) - size.deviation_ns);
  size.mean_ns += rate * (sample - size.mean_ns);
}

void CostModel::Doubt() {
  for (auto& [rows, size] : sizes_) size.samples = 0;
}

CostModel::Line CostModel::line() const {
  if (sizes_.empty()) return {};
  if (sizes_.size() == 1) {
    const auto& [rows, size] = *sizes_.begin();
    return {size.mean_ns / static_cast<double>(rows), 0};
  }
  // Least squares over the sizes, each with the weight of its samples up to a bound: a size that is run all
  // the time must not drown the one that tells the slope.
  double weights = 0;
  double mean_n = 0;
  double mean_t = 0;
  for (const auto& [rows, size] : sizes_) {
    const double weight = static_cast<double>(std::clamp<int64_t>(size.samples, 1, 10));
    weights += weight;
    mean_n += weight * static_cast<double>(rows);
    mean_t += weight * size.mean_ns;
  }
  mean_n /= weights;
  mean_t /= weights;
  double covariance = 0;
  double variance = 0;
  for (const auto& [rows, size] : sizes_) {
    const double weight = static_cast<double>(std::clamp<int64_t>(size.samples, 1, 10));
    const double n = static_cast<double>(rows) - mean_n;
    covariance += weight * n * (size.mean_ns - mean_t);
    variance += weight * n * n;
  }
  const double a = std::max(0.0, covariance / variance);
  return {a, std::max(0.0, mean_t - a * mean_n)};
}

Duration CostModel::Mean(int64_t rows) const {
  if (const auto found = sizes_.find(rows); found != sizes_.end()) {
    return Duration(std::llround(found->second.mean_ns));
  }
  const Line fit = line();
  return Duration(std::llround(fit.a_ns * static_cast<double>(rows) + fit.b_ns));
}

Duration CostModel::Usual(int64_t rows) const {
  const Duration mean = Mean(rows);
  if (const auto found = sizes_.find(rows); found != sizes_.end()) {
    return mean + Duration(std::llround(found->second.deviation_ns));
  }
  return mean + mean / 10;
}

}  // namespace waystone
