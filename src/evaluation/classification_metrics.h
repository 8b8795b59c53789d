// SPDX-License-Identifier: Apache-2.0
//
// Top-1 and top-5 accuracy over a labels file. Thread-compatible.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "types/prediction.h"

namespace waystone {

struct LabelledImage {
  std::string file;
  int class_id = 0;
};

struct ClassificationMetrics {
  double top1 = 0;  // share of pictures in [0, 1]
  double top5 = 0;
};

// Parses a CSV (RFC 4180 quoting) whose header names the columns "file" and "class_index". InvalidArgument
// with the line.
absl::StatusOr<std::vector<LabelledImage>> ParseLabelsCsv(const std::string& csv);
// `predictions[i]` are the classes of images[i], best first.
ClassificationMetrics EvaluateClasses(const std::vector<LabelledImage>& images,
                                      const std::vector<std::vector<ClassScore>>& predictions);

}  // namespace waystone
