// SPDX-License-Identifier: Apache-2.0
//
// Average precision as pycocotools' COCOeval (bbox) computes it: ten IoU thresholds 0.50:0.05:0.95, 101
// recall points, crowd regions ignored, at most 100 detections a class and picture, best score first with
// ties kept in order. Source: cocodataset.org/#detection-eval. Thread-compatible.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "types/prediction.h"

namespace waystone {

struct TruthBox {
  int64_t category_id = 0;
  Box box;          // pixels
  double area = 0;  // of the mask where there is one, else of the box; kept for size ranges
  bool crowd = false;
};

struct TruthImage {
  int64_t id = 0;
  std::string file;
  int width = 0;
  int height = 0;
  std::vector<TruthBox> boxes;
};

// A COCO instances file.
struct DetectionDataset {
  std::vector<TruthImage> images;
  std::map<int64_t, std::string> categories;  // id to name
};

struct ScoredBox {
  int64_t category_id = 0;
  float score = 0;
  Box box;
};

struct DetectionMetrics {
  double ap = -1;  // mean over IoU 0.50:0.95; -1 when there is no truth at all
  double ap50 = -1;
  double ap75 = -1;
};

// Parses an instances JSON. InvalidArgument says what is missing or of the wrong kind.
absl::StatusOr<DetectionDataset> ParseCocoInstances(const std::string& json);
// `predictions[i]` belong to dataset.images[i].
DetectionMetrics EvaluateDetections(const DetectionDataset& dataset,
                                    const std::vector<std::vector<ScoredBox>>& predictions);

}  // namespace waystone
