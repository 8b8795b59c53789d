// SPDX-License-Identifier: Apache-2.0
//
// Annotation files from users: an instances JSON or, for a first byte of 'c', a labels CSV. What parses is
// evaluated against itself as detections, which must give a sound number.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "evaluation/classification_metrics.h"
#include "evaluation/detection_metrics.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace waystone;
  if (size > 0 && data[0] == 'c') {
    const auto images = ParseLabelsCsv(std::string(reinterpret_cast<const char*>(data + 1), size - 1));
    WAYSTONE_CHECK(images.ok() || !images.status().message().empty(), "an error has a message");
    return 0;
  }
  const auto dataset = ParseCocoInstances(std::string(reinterpret_cast<const char*>(data), size));
  if (!dataset.ok()) return 0;
  std::vector<std::vector<ScoredBox>> predictions;
  for (const TruthImage& image : dataset->images) {
    std::vector<ScoredBox>& boxes = predictions.emplace_back();
    for (const TruthBox& truth : image.boxes) {
      boxes.push_back({truth.category_id, static_cast<float>(boxes.size() % 3), truth.box});
    }
  }
  const DetectionMetrics metrics = EvaluateDetections(*dataset, predictions);
  WAYSTONE_CHECK(metrics.ap == -1 || (metrics.ap >= 0 && metrics.ap <= 1), "a share, or -1 without truth");
  return 0;
}
