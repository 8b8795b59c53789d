// SPDX-License-Identifier: Apache-2.0
#include "integration/golden_compare.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

#include <gtest/gtest.h>

#include "support/engine_testing.h"

namespace waystone {
namespace {

constexpr float kFloatTolerance = 1e-3F;  // of the range

// The allowed difference of an output, absolute. A range includes zero, so that one value alone has one.
double Tolerance(DataType type, double min, double max, double steps) {
  if (type == DataType::kInt64) return 0;
  if (type == DataType::kUint8) return steps;
  return kFloatTolerance * (std::max(max, 0.0) - std::min(min, 0.0));
}

}  // namespace

void ReportDifference(const std::string& what, const std::string& model, double share) {
  std::cout << "    " << std::filesystem::path(model).filename().string() << ", " << what << ": " << share
            << " of the tolerance" << std::endl;
}

double CompareWithGolden(const GoldenOutput& golden, const TensorView& view, double steps) {
  EXPECT_EQ(view.type, golden.type) << golden.name;
  EXPECT_EQ(view.shape, golden.shape) << golden.name;
  if (view.type != golden.type || !(view.shape == golden.shape)) return INFINITY;
  const std::vector<float> values = AsFloats(view);
  const double tolerance = Tolerance(golden.type, golden.min, golden.max, steps);
  double largest = 0;
  for (const auto& [position, value] : golden.samples) {
    largest = std::max(largest, std::abs(values[position] - value));
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  largest = std::max({largest, std::abs(*least - golden.min), std::abs(*most - golden.max)});
  double sum = 0;
  for (const float value : values) sum += value;
  largest =
      std::max(largest, std::abs(sum / static_cast<double>(values.size()) - golden.mean) - 1e-6 * golden.max);
  largest = std::max(largest, static_cast<double>(*most - values[golden.argmax]));
  EXPECT_LE(largest, tolerance) << golden.name;
  return tolerance > 0 ? largest / tolerance : largest;
}

double CompareOutputs(const ModelSignature& signature, const std::vector<std::vector<float>>& a,
                      const std::vector<std::vector<float>>& b, double steps) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const auto [least, most] = std::minmax_element(a[i].begin(), a[i].end());
    const double tolerance = Tolerance(signature.outputs[i].type, *least, *most, steps);
    const double difference = LargestDifference(a[i], b[i]);
    EXPECT_LE(difference, tolerance) << signature.outputs[i].name;
    largest = std::max(largest, tolerance > 0 ? difference / tolerance : difference);
  }
  return largest;
}

}  // namespace waystone
