// SPDX-License-Identifier: Apache-2.0
//
// An engine's outputs held against golden answers or another engine's. What is allowed: floats 1e-3 of the
// output's range, 8-bit outputs a number of steps, other integers (indices) nothing. Differences are given as
// shares of what is allowed, so that models compare. Fails the running test when one is beyond it. No
// threads.
#pragma once

#include <string>
#include <vector>

#include "integration/golden_case.h"
#include "types/model_signature.h"
#include "types/tensor.h"

namespace waystone {

// Prints one line: the model's file, what was compared, and how far it was apart.
void ReportDifference(const std::string& what, const std::string& model, double share);

// The largest difference of an output from its golden: samples, least, most, mean, and the place of the most.
double CompareWithGolden(const GoldenOutput& golden, const TensorView& view, double steps);

// The largest difference of two lists of outputs, value by value; `signature` tells their types.
double CompareOutputs(const ModelSignature& signature, const std::vector<std::vector<float>>& a,
                      const std::vector<std::vector<float>>& b, double steps);

}  // namespace waystone
