// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/classification.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/postprocess/output_check.h"

namespace waystone {
namespace {

// Puts softmax into `scores`, which are finite.
void ApplySoftmax(std::vector<ClassScore>& scores) {
  float largest = -INFINITY;
  for (const ClassScore& score : scores) largest = std::max(largest, score.score);
  double sum = 0;
  for (ClassScore& score : scores) {
    score.score = std::exp(score.score - largest);
    sum += score.score;
  }
  for (ClassScore& score : scores) score.score = static_cast<float>(score.score / sum);
}

class ClassificationDecoder final : public Decoder {
 public:
  explicit ClassificationDecoder(const DecoderSpec& spec) : spec_(spec), name_(OutputName(spec, 0)) {}

  absl::StatusOr<Answers> Decode(std::span<const TensorView> outputs, int64_t row, const InputGeometry&,
                                 const ThresholdSpec& thresholds) const override {
    WAYSTONE_RETURN_IF_ERROR(Check(FormsOf(outputs)).status());
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow output, OutputRow::Read(outputs[0], row, name_));
    std::vector<ClassScore> scores;
    scores.reserve(output.values().size());
    for (size_t i = 0; i < output.values().size(); ++i) {
      const float score = (output.values()[i] - spec_.output_zero) * spec_.output_scale;
      if (std::isfinite(score)) scores.push_back({static_cast<int>(i) - spec_.background_classes, score});
    }
    if (spec_.softmax) ApplySoftmax(scores);
    std::erase_if(scores, [](const ClassScore& score) { return score.class_id < 0; });
    const size_t count = std::min(scores.size(), static_cast<size_t>(std::max(thresholds.top_k, 0)));
    std::partial_sort(scores.begin(), scores.begin() + static_cast<ptrdiff_t>(count), scores.end(),
                      [](const ClassScore& a, const ClassScore& b) {
                        return a.score != b.score ? a.score > b.score : a.class_id < b.class_id;
                      });
    scores.resize(count);
    for (ClassScore& score : scores) score.score = std::clamp(score.score, 0.0F, 1.0F);
    return Answers{.classes = std::move(scores)};
  }

  absl::StatusOr<int64_t> CountClasses(std::span<const TensorSignature> outputs) const override {
    return Check(FormsOf(outputs));
  }

 private:
  // The number of classes without background, kDynamicDim when it is open.
  absl::StatusOr<int64_t> Check(std::span<const OutputForm> forms) const {
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(forms.size(), 1));
    const std::optional<int64_t> classes = FlatRow(forms[0].shape);
    const bool open = classes == kDynamicDim;
    if (!IsReadable(forms[0].type) || !classes.has_value() || *classes > INT32_MAX ||
        (!open && *classes <= spec_.background_classes)) {
      return absl::InvalidArgumentError(absl::StrCat(
          name_, " is ", Name(forms[0].type), forms[0].shape.ToString(),
          "; the decoder reads FP32, FP16, BF16, UINT8 or INT8 [-1,C] (-1: any size) with C above the ",
          spec_.background_classes, " background classes, further axes of 1 allowed"));
    }
    return open ? kDynamicDim : *classes - spec_.background_classes;
  }

  const DecoderSpec spec_;
  const std::string name_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MakeClassificationDecoder(const ModelSpec& spec) {
  if (!spec.decoder.outputs.empty())
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(spec.decoder.outputs.size(), 1));
  if (!std::isfinite(spec.decoder.output_scale) || !std::isfinite(spec.decoder.output_zero)) {
    return absl::InvalidArgumentError("decoder.scale and decoder.zero must be finite");
  }
  if (spec.decoder.background_classes < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "decoder.background_classes is ", spec.decoder.background_classes, "; it must be 0 or more"));
  }
  return std::make_unique<ClassificationDecoder>(spec.decoder);
}

}  // namespace waystone
