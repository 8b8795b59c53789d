// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/fastestdet.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/postprocess/candidates.h"
#include "vision/postprocess/grid.h"
#include "vision/postprocess/logistic.h"
#include "vision/postprocess/nms.h"
#include "vision/postprocess/output_check.h"

namespace waystone {
namespace {

constexpr int64_t kBeforeClasses = 5;
constexpr float kObjectnessPower = 0.6F;
constexpr float kClassPower = 0.4F;

class FastestDetDecoder final : public Decoder {
 public:
  FastestDetDecoder(const ModelSpec& spec, Grid grid)
      : name_(OutputName(spec.decoder, 0)),
        columns_(spec.preprocess.width / spec.decoder.strides[0]),
        rows_(spec.preprocess.height / spec.decoder.strides[0]),
        grid_(std::move(grid)) {}

  absl::StatusOr<Answers> Decode(std::span<const TensorView> outputs, int64_t row,
                                 const InputGeometry& geometry,
                                 const ThresholdSpec& thresholds) const override {
    WAYSTONE_ASSIGN_OR_RETURN(const int64_t classes, Check(FormsOf(outputs)));
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow output, OutputRow::Read(outputs[0], row, name_));
    const std::span<const float> values = output.values();
    const size_t cells = static_cast<size_t>(grid_.cells());
    CandidateList candidates(classes, thresholds.score);
    std::vector<float> scores(static_cast<size_t>(classes));  // of a cell: they lie a plane apart
    for (size_t cell = 0; cell < cells; ++cell) {
      const float objectness = values[cell];
      // A class score is at most 1, so most cells end here.
      if (!(objectness >= 0) || !std::isfinite(objectness)) continue;
      const float weight = std::pow(objectness, kObjectnessPower);
      if (weight < candidates.floor()) continue;
      for (size_t i = 0; i < scores.size(); ++i) {
        const float score = values[(static_cast<size_t>(kBeforeClasses) + i) * cells + cell];
        scores[i] = weight * std::pow(std::max(score, 0.0F), kClassPower);
      }
      candidates.AddClasses(scores, candidates.floor(), static_cast<int32_t>(cell),
                            thresholds.best_class_only, [](float score) { return score; });
    }
    const auto box_of = [&](int32_t cell) { return BoxOf(values, cell); };
    return Answers{.detections = MakeDetections(candidates, box_of, geometry, thresholds)};
  }

  absl::StatusOr<int64_t> CountClasses(std::span<const TensorSignature> outputs) const override {
    return Check(FormsOf(outputs));
  }

 private:
  absl::StatusOr<int64_t> Check(std::span<const OutputForm> forms) const {
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(forms.size(), 1));
    WAYSTONE_RETURN_IF_ERROR(CheckOutput(name_, forms[0], {kDynamicDim, kDynamicDim, rows_, columns_}));
    const int64_t planes = forms[0].shape[1];
    // The planes tell where the values are, so they cannot stay open when there are values.
    if (planes == kDynamicDim) return kDynamicDim;
    if (planes <= kBeforeClasses) {
      return absl::InvalidArgumentError(
          absl::StrCat(name_, " is ", forms[0].shape.ToString(),
                       "; the second axis must hold 5 numbers and the class scores"));
    }
    WAYSTONE_RETURN_IF_ERROR(CheckClassCount(name_, planes - kBeforeClasses));
    return planes - kBeforeClasses;
  }

  // In pixels of the input.
  Box BoxOf(std::span<const float> values, int32_t cell) const {
    const size_t cells = static_cast<size_t>(grid_.cells());
    const auto raw = [&](size_t plane) { return values[plane * cells + static_cast<size_t>(cell)]; };
    const Grid::Position at = grid_.At(cell);
    const float stride = static_cast<float>(at.stride);
    const float center_x = (static_cast<float>(at.x) + std::tanh(raw(1))) * stride;
    const float center_y = (static_cast<float>(at.y) + std::tanh(raw(2))) * stride;
    const float half_width = Logistic(raw(3)) * static_cast<float>(columns_) * stride / 2;
    const float half_height = Logistic(raw(4)) * static_cast<float>(rows_) * stride / 2;
    return {center_x - half_width, center_y - half_height, center_x + half_width, center_y + half_height};
  }

  const std::string name_;
  const int columns_;
  const int rows_;
  const Grid grid_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MakeFastestDetDecoder(const ModelSpec& spec) {
  if (!spec.decoder.outputs.empty())
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(spec.decoder.outputs.size(), 1));
  if (spec.decoder.strides.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("decoder.strides has ", spec.decoder.strides.size(),
                                                   " numbers; fastestdet has one grid"));
  }
  WAYSTONE_ASSIGN_OR_RETURN(Grid grid, Grid::Create(spec));
  return std::make_unique<FastestDetDecoder>(spec, std::move(grid));
}

}  // namespace waystone
