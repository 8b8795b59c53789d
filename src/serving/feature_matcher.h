// SPDX-License-Identifier: Apache-2.0
//
// A network that says which features of two pictures show the same place (LighterGlue; Lindenberger et al.
// 2023, arXiv:2306.13643). Inputs: places kpts0, kpts1 [1, K, 2], from -1 to 1 along the longer side, and
// descriptors desc0, desc1 [1, K, D]; outputs: pairs [M, 2] of indices and scores [M]. Confined to one thread
// at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "engine/engine.h"
#include "engine/registry.h"
#include "pipeline/nearest_match.h"
#include "serving/load_entry.h"
#include "serving/model_catalog.h"
#include "types/prediction.h"

namespace waystone {

// The features of one picture, and its size in pixels.
struct PictureFeatures {
  FeatureSet features;
  int width = 0;
  int height = 0;
};

class FeatureMatcher {
 public:
  // InvalidArgument when the entry's task is not match or its network takes other inputs.
  static absl::StatusOr<std::unique_ptr<FeatureMatcher>> Load(const CatalogEntry& entry,
                                                              const EngineRegistry& engines,
                                                              const PictureModelOptions& options);

  const std::string& engine_name() const { return engine_name_; }
  // Pairs that score at least what model.yaml says. InvalidArgument for descriptors of another size than the
  // network's.
  absl::StatusOr<std::vector<FeatureMatch>> Match(const PictureFeatures& a, const PictureFeatures& b);

 private:
  FeatureMatcher() = default;

  std::string engine_name_;
  float least_score_ = 0;
  std::vector<std::string> outputs_;  // names, pairs and scores
  std::unique_ptr<Model> model_;
  std::unique_ptr<Instance> instance_;
};

}  // namespace waystone
