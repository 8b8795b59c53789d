// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/yolox.h"

#include <cmath>
#include <utility>
#include <vector>

#include "base/status.h"
#include "vision/postprocess/candidates.h"
#include "vision/postprocess/grid.h"
#include "vision/postprocess/nms.h"
#include "vision/postprocess/output_check.h"

namespace waystone {
namespace {

constexpr size_t kBeforeClasses = 5;
constexpr size_t kObjectness = 4;

class YoloxDecoder final : public Decoder {
 public:
  YoloxDecoder(const DecoderSpec& spec, Grid grid) : name_(OutputName(spec, 0)), grid_(std::move(grid)) {}

  absl::StatusOr<Answers> Decode(std::span<const TensorView> outputs, int64_t row,
                                 const InputGeometry& geometry,
                                 const ThresholdSpec& thresholds) const override {
    WAYSTONE_ASSIGN_OR_RETURN(const int64_t classes, Check(FormsOf(outputs)));
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow output, OutputRow::Read(outputs[0], row, name_));
    const std::span<const float> values = output.values();
    const size_t width = static_cast<size_t>(classes) + kBeforeClasses;
    CandidateList candidates(classes, thresholds.score);
    for (int32_t cell = 0; cell < grid_.cells(); ++cell) {
      const std::span<const float> numbers = values.subspan(static_cast<size_t>(cell) * width, width);
      const float objectness = numbers[kObjectness];
      // A class score is at most 1, so most cells end here; the rounding of the quotient is allowed for.
      if (!(objectness >= candidates.floor()) || !std::isfinite(objectness)) continue;
      const float class_floor = objectness > 0 ? candidates.floor() / objectness * (1 - 1e-6F) : 0.0F;
      candidates.AddClasses(numbers.subspan(kBeforeClasses), class_floor, cell, thresholds.best_class_only,
                            [objectness](float score) { return objectness * score; });
    }
    const auto box_of = [&](int32_t cell) {
      return BoxOf(grid_.At(cell), values.subspan(static_cast<size_t>(cell) * width, kObjectness));
    };
    return Answers{.detections = MakeDetections(candidates, box_of, geometry, thresholds)};
  }

  absl::StatusOr<int64_t> CountClasses(std::span<const TensorSignature> outputs) const override {
    return Check(FormsOf(outputs));
  }

 private:
  // The number of classes, kDynamicDim when it is open.
  absl::StatusOr<int64_t> Check(std::span<const OutputForm> forms) const {
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(forms.size(), 1));
    WAYSTONE_RETURN_IF_ERROR(CheckOutput(name_, forms[0], {kDynamicDim, grid_.cells(), kDynamicDim}));
    const int64_t width = forms[0].shape[2];
    if (width == kDynamicDim) return kDynamicDim;
    if (width <= static_cast<int64_t>(kBeforeClasses)) {
      return absl::InvalidArgumentError(name_ + " is " + forms[0].shape.ToString() +
                                        "; the last axis must hold 5 numbers and the class scores");
    }
    const int64_t classes = width - static_cast<int64_t>(kBeforeClasses);
    WAYSTONE_RETURN_IF_ERROR(CheckClassCount(name_, classes));
    return classes;
  }

  static Box BoxOf(const Grid::Position& at, std::span<const float> raw) {
    const float stride = static_cast<float>(at.stride);
    const float center_x = (raw[0] + static_cast<float>(at.x)) * stride;
    const float center_y = (raw[1] + static_cast<float>(at.y)) * stride;
    const float half_width = std::exp(raw[2]) * stride / 2;
    const float half_height = std::exp(raw[3]) * stride / 2;
    return {center_x - half_width, center_y - half_height, center_x + half_width, center_y + half_height};
  }

  const std::string name_;
  const Grid grid_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MakeYoloxDecoder(const ModelSpec& spec) {
  if (!spec.decoder.outputs.empty())
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(spec.decoder.outputs.size(), 1));
  WAYSTONE_ASSIGN_OR_RETURN(Grid grid, Grid::Create(spec));
  return std::make_unique<YoloxDecoder>(spec.decoder, std::move(grid));
}

}  // namespace waystone
