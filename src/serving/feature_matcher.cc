// SPDX-License-Identifier: Apache-2.0
#include "serving/feature_matcher.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "serving/load_entry.h"

namespace waystone {
namespace {

constexpr std::array<const char*, 4> kInputs = {"kpts0", "kpts1", "desc0", "desc1"};

// Places from -1 to 1 along the longer side, around the middle of the picture.
absl::StatusOr<Tensor> PlacesOf(const PictureFeatures& picture) {
  const int64_t count = static_cast<int64_t>(picture.features.points.size());
  WAYSTONE_ASSIGN_OR_RETURN(Tensor places, Tensor::Create(DataType::kFloat32, {1, count, 2}));
  const float half = static_cast<float>(std::max({picture.width, picture.height, 1})) / 2;
  const std::span<float> values = places.As<float>();
  for (size_t i = 0; i < picture.features.points.size(); ++i) {
    const Landmark& point = picture.features.points[i];
    values[2 * i] = (point.x - static_cast<float>(picture.width) / 2) / half;
    values[2 * i + 1] = (point.y - static_cast<float>(picture.height) / 2) / half;
  }
  return places;
}

absl::StatusOr<Tensor> DescriptorsOf(const PictureFeatures& picture) {
  const FeatureSet& features = picture.features;
  const int64_t count = static_cast<int64_t>(features.points.size());
  WAYSTONE_ASSIGN_OR_RETURN(Tensor descriptors,
                            Tensor::Create(DataType::kFloat32, {1, count, features.descriptor_size}));
  if (features.descriptors.size() * sizeof(float) != descriptors.byte_size()) {
    return absl::InvalidArgumentError("descriptors and points are of different numbers");
  }
  std::memcpy(descriptors.bytes().data(), features.descriptors.data(), descriptors.byte_size());
  return descriptors;
}

// The position of an output by name; with no name the one at `absent`.
absl::StatusOr<size_t> FindOutput(const ModelSignature& signature, const std::vector<std::string>& names,
                                  size_t which) {
  if (names.empty()) return which;
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    if (signature.outputs[i].name == names[which]) return i;
  }
  return absl::InvalidArgumentError(absl::StrCat("the model has no output \"", names[which], "\""));
}

}  // namespace

absl::StatusOr<std::unique_ptr<FeatureMatcher>> FeatureMatcher::Load(const CatalogEntry& entry,
                                                                     const EngineRegistry& engines,
                                                                     const PictureModelOptions& options) {
  if (entry.spec.task != Task::kMatch) {
    return absl::InvalidArgumentError(
        absl::StrCat(entry.name, " is a model of task ", Name(entry.spec.task), ", not match"));
  }
  std::unique_ptr<FeatureMatcher> matcher(new FeatureMatcher());
  WAYSTONE_ASSIGN_OR_RETURN(LoadedModel loaded, LoadEntry(entry, engines, LoadOptions(), options));
  const ModelSignature& signature = loaded.model->signature();
  const auto is_input = [&](const char* name) {
    return std::any_of(signature.inputs.begin(), signature.inputs.end(),
                       [&](const TensorSignature& input) { return input.name == name; });
  };
  if (signature.inputs.size() != kInputs.size() || !std::all_of(kInputs.begin(), kInputs.end(), is_input) ||
      signature.outputs.size() < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        entry.name, " is no matcher: it must take kpts0, kpts1, desc0 and desc1 and give two tensors"));
  }
  matcher->engine_name_ = loaded.engine;
  matcher->least_score_ = entry.spec.thresholds.score;
  matcher->outputs_ = entry.spec.decoder.outputs;
  matcher->model_ = std::move(loaded.model);
  WAYSTONE_ASSIGN_OR_RETURN(matcher->instance_, matcher->model_->CreateInstance());
  return matcher;
}

absl::StatusOr<std::vector<FeatureMatch>> FeatureMatcher::Match(const PictureFeatures& a,
                                                                const PictureFeatures& b) {
  if (a.features.points.empty() || b.features.points.empty()) return std::vector<FeatureMatch>();
  std::array<Tensor, 4> tensors;
  WAYSTONE_ASSIGN_OR_RETURN(tensors[0], PlacesOf(a));
  WAYSTONE_ASSIGN_OR_RETURN(tensors[1], PlacesOf(b));
  WAYSTONE_ASSIGN_OR_RETURN(tensors[2], DescriptorsOf(a));
  WAYSTONE_ASSIGN_OR_RETURN(tensors[3], DescriptorsOf(b));
  const ModelSignature& signature = model_->signature();
  std::vector<TensorView> inputs;
  for (const TensorSignature& input : signature.inputs) {
    const auto at = std::find(kInputs.begin(), kInputs.end(), input.name);
    inputs.push_back(tensors[static_cast<size_t>(at - kInputs.begin())].view());
  }
  WAYSTONE_ASSIGN_OR_RETURN(const std::span<const TensorView> outputs, instance_->Run(inputs));
  WAYSTONE_ASSIGN_OR_RETURN(const size_t pairs_at, FindOutput(signature, outputs_, 0));
  WAYSTONE_ASSIGN_OR_RETURN(const size_t scores_at, FindOutput(signature, outputs_, 1));
  const TensorView& pairs = outputs[pairs_at];
  const TensorView& scores = outputs[scores_at];
  if (pairs.type != DataType::kInt64 || scores.type != DataType::kFloat32 || pairs.shape.rank() != 2 ||
      pairs.shape[1] != 2 || scores.shape.rank() != 1 || scores.shape[0] != pairs.shape[0]) {
    return absl::InvalidArgumentError(absl::StrCat("a matcher gives INT64[M,2] and FP32[M], this one ",
                                                   Name(pairs.type), pairs.shape.ToString(), " and ",
                                                   Name(scores.type), scores.shape.ToString()));
  }
  std::vector<FeatureMatch> matches;
  const std::span<const int64_t> indices = pairs.As<int64_t>();
  const std::span<const float> values = scores.As<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t of_a = indices[2 * i];
    const int64_t of_b = indices[2 * i + 1];
    const bool known = of_a >= 0 && of_b >= 0 && of_a < static_cast<int64_t>(a.features.points.size()) &&
                       of_b < static_cast<int64_t>(b.features.points.size());
    if (!known || !(values[i] >= least_score_)) continue;  // NaN too
    matches.push_back({static_cast<int>(of_a), static_cast<int>(of_b), std::min(values[i], 1.0F)});
  }
  return matches;
}

}  // namespace waystone
