// SPDX-License-Identifier: Apache-2.0
//
// The golden answers of the test data: for each model a picture (or raw tensors), how the input tensor is
// made of it, and samples of what the network answered elsewhere. Values; no threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "types/model_spec.h"
#include "types/tensor.h"

namespace waystone {

// How a golden's input is made; the JSON's "input_recipe" says the same in words.
struct GoldenRecipe {
  const char* golden;  // path of the JSON in the test data
  ColorOrder color = ColorOrder::kRgb;
  Layout layout = Layout::kNchw;
  float scale = 1;  // value = (pixel * scale - mean) / std
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> std = {1, 1, 1};
  bool grey = false;  // one channel, the mean of the three
  bool raw = false;   // float32 files beside the JSON, one an input, named after it
};

// One a golden file of an ONNX model.
const std::vector<GoldenRecipe>& GoldenRecipes();

struct GoldenOutput {
  std::string name;
  DataType type = DataType::kFloat32;
  Shape shape;
  double min = 0;
  double max = 0;
  double mean = 0;
  size_t argmax = 0;
  std::vector<std::pair<size_t, double>> samples;  // position, value
};

struct GoldenInput {
  std::string name;
  Tensor tensor;
};

struct GoldenCase {
  std::string model;  // path of the ONNX file in the test data
  std::vector<GoldenInput> inputs;
  std::vector<GoldenOutput> outputs;
};

// Reads the golden and makes its inputs, which are held against the JSON's own samples. Fails the test when
// something does not fit.
GoldenCase ReadGolden(const GoldenRecipe& recipe);

}  // namespace waystone
