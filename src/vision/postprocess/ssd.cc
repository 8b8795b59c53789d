// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/ssd.h"

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/postprocess/candidates.h"
#include "vision/postprocess/logistic.h"
#include "vision/postprocess/nms.h"
#include "vision/postprocess/output_check.h"
#include "vision/postprocess/ssd_anchors.h"

namespace waystone {
namespace {

class SsdDecoder final : public Decoder {
 public:
  SsdDecoder(const ModelSpec& spec, std::vector<SsdAnchor> anchors)
      : spec_(spec.decoder),
        width_(static_cast<float>(spec.preprocess.width)),
        height_(static_cast<float>(spec.preprocess.height)),
        anchors_(std::move(anchors)) {}

  absl::StatusOr<Answers> Decode(std::span<const TensorView> outputs, int64_t row,
                                 const InputGeometry& geometry,
                                 const ThresholdSpec& thresholds) const override {
    WAYSTONE_ASSIGN_OR_RETURN(const int64_t classes, Check(FormsOf(outputs)));
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow boxes, OutputRow::Read(outputs[0], row, OutputName(spec_, 0)));
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow scores, OutputRow::Read(outputs[1], row, OutputName(spec_, 1)));
    const size_t background = static_cast<size_t>(spec_.background_classes);
    const size_t width = static_cast<size_t>(classes) + background;
    CandidateList candidates(classes, thresholds.score);
    const float logit_floor = LogitBelow(thresholds.score);
    for (size_t i = 0; i < anchors_.size(); ++i) {
      const std::span<const float> raw = scores.values().subspan(i * width + background, width - background);
      const int32_t cell = static_cast<int32_t>(i);
      if (spec_.sigmoid) {
        candidates.AddClasses(raw, logit_floor, cell, thresholds.best_class_only, Logistic);
      } else {
        candidates.AddClasses(raw, candidates.floor(), cell, thresholds.best_class_only,
                              [](float score) { return score; });
      }
    }
    const auto box_of = [&](int32_t cell) {
      const size_t i = static_cast<size_t>(cell);
      return BoxOf(anchors_[i], boxes.values().subspan(4 * i, 4));
    };
    return Answers{.detections = MakeDetections(candidates, box_of, geometry, thresholds)};
  }

  absl::StatusOr<int64_t> CountClasses(std::span<const TensorSignature> outputs) const override {
    return Check(FormsOf(outputs));
  }

 private:
  // The number of classes without background, kDynamicDim when it is open.
  absl::StatusOr<int64_t> Check(std::span<const OutputForm> forms) const {
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(forms.size(), 2));
    const int64_t anchors = static_cast<int64_t>(anchors_.size());
    WAYSTONE_RETURN_IF_ERROR(CheckOutput(OutputName(spec_, 0), forms[0], {kDynamicDim, anchors, 4}));
    WAYSTONE_RETURN_IF_ERROR(
        CheckOutput(OutputName(spec_, 1), forms[1], {kDynamicDim, anchors, kDynamicDim}));
    return ClassesWithoutBackground(OutputName(spec_, 1), forms[1].shape[2], spec_.background_classes);
  }

  Box BoxOf(const SsdAnchor& anchor, std::span<const float> raw) const {
    const std::array<float, 4>& scales = spec_.box_coder_scales;
    const float center_y = (raw[0] / scales[0] * anchor.height + anchor.center_y) * height_;
    const float center_x = (raw[1] / scales[1] * anchor.width + anchor.center_x) * width_;
    const float half_height = std::exp(raw[2] / scales[2]) * anchor.height * height_ / 2;
    const float half_width = std::exp(raw[3] / scales[3]) * anchor.width * width_ / 2;
    return {center_x - half_width, center_y - half_height, center_x + half_width, center_y + half_height};
  }

  const DecoderSpec spec_;
  const float width_;  // of the input, pixels
  const float height_;
  const std::vector<SsdAnchor> anchors_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MakeSsdDecoder(const ModelSpec& spec) {
  if (!spec.decoder.outputs.empty())
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(spec.decoder.outputs.size(), 2));
  if (spec.decoder.background_classes < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "decoder.background_classes is ", spec.decoder.background_classes, "; it must be 0 or more"));
  }
  for (const float scale : spec.decoder.box_coder_scales) {
    if (!(scale > 0) || !std::isfinite(scale)) {
      return absl::InvalidArgumentError(
          absl::StrCat("decoder.box_coder_scales has ", scale, "; it must be above 0"));
    }
  }
  WAYSTONE_ASSIGN_OR_RETURN(std::vector<SsdAnchor> anchors, MakeSsdAnchors(spec.decoder));
  return std::make_unique<SsdDecoder>(spec, std::move(anchors));
}

}  // namespace waystone
