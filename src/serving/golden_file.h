// SPDX-License-Identifier: Apache-2.0
//
// Golden answers of a model: samples of what its network gave for one input, made by a program that is
// trusted. They lie in `golden/` beside the weights, as JSON (docs/golden-answers.md). Thread-safe (no
// state).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

#include "types/data_type.h"
#include "types/shape.h"

namespace waystone {

struct GoldenOutput {
  std::string name;
  DataType type = DataType::kFloat32;
  Shape shape;
  double min = 0;
  double max = 0;
  std::vector<std::pair<size_t, double>> samples;  // flat index, value
};

struct GoldenInput {
  std::string name;
  DataType type = DataType::kFloat32;
  Shape shape;
};

struct GoldenFile {
  std::string model;    // file name of the weights
  std::string picture;  // relative to the model's folder; the network's input without resizing
  std::vector<GoldenInput> inputs;
  std::vector<GoldenOutput> outputs;
};

// InvalidArgument, with `file_name` and what is wrong, for anything but a golden file whose numbers fit.
absl::StatusOr<GoldenFile> ParseGoldenFile(std::string_view json, const std::string& file_name);

}  // namespace waystone
