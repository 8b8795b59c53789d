// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/ultraface.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/postprocess/candidates.h"
#include "vision/postprocess/nms.h"
#include "vision/postprocess/output_check.h"

namespace waystone {
namespace {

class UltraFaceDecoder final : public Decoder {
 public:
  explicit UltraFaceDecoder(const ModelSpec& spec)
      : spec_(spec.decoder),
        width_(static_cast<float>(spec.preprocess.width)),
        height_(static_cast<float>(spec.preprocess.height)) {}

  absl::StatusOr<Answers> Decode(std::span<const TensorView> outputs, int64_t row,
                                 const InputGeometry& geometry,
                                 const ThresholdSpec& thresholds) const override {
    WAYSTONE_ASSIGN_OR_RETURN(const int64_t classes, Check(FormsOf(outputs)));
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow scores, OutputRow::Read(outputs[0], row, OutputName(spec_, 0)));
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow boxes, OutputRow::Read(outputs[1], row, OutputName(spec_, 1)));
    const size_t background = static_cast<size_t>(spec_.background_classes);
    const size_t width = static_cast<size_t>(classes) + background;
    const size_t count = boxes.values().size() / 4;
    CandidateList candidates(classes, thresholds.score);
    for (size_t i = 0; i < count; ++i) {
      candidates.AddClasses(scores.values().subspan(i * width + background, width - background),
                            candidates.floor(), static_cast<int32_t>(i), thresholds.best_class_only,
                            [](float score) { return score; });
    }
    const auto box_of = [&](int32_t cell) {
      const std::span<const float> raw = boxes.values().subspan(4 * static_cast<size_t>(cell), 4);
      // A network may give the corners in either order.
      return Box{std::min(raw[0], raw[2]) * width_, std::min(raw[1], raw[3]) * height_,
                 std::max(raw[0], raw[2]) * width_, std::max(raw[1], raw[3]) * height_};
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
    WAYSTONE_RETURN_IF_ERROR(
        CheckOutput(OutputName(spec_, 0), forms[0], {kDynamicDim, kDynamicDim, kDynamicDim}));
    WAYSTONE_RETURN_IF_ERROR(
        CheckOutput(OutputName(spec_, 1), forms[1], {kDynamicDim, forms[0].shape[1], 4}));
    if (forms[0].shape[1] > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat(OutputName(spec_, 0), " has too many boxes"));
    }
    return ClassesWithoutBackground(OutputName(spec_, 0), forms[0].shape[2], spec_.background_classes);
  }

  const DecoderSpec spec_;
  const float width_;  // of the input, pixels
  const float height_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MakeUltraFaceDecoder(const ModelSpec& spec) {
  if (!spec.decoder.outputs.empty())
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(spec.decoder.outputs.size(), 2));
  if (spec.decoder.background_classes < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "decoder.background_classes is ", spec.decoder.background_classes, "; it must be 0 or more"));
  }
  return std::make_unique<UltraFaceDecoder>(spec);
}

}  // namespace waystone
