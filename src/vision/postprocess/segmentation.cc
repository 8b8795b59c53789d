// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/segmentation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/postprocess/logistic.h"
#include "vision/postprocess/output_check.h"

namespace waystone {
namespace {

constexpr int64_t kMaxClasses = 256;  // a mask has a byte a pixel
constexpr int64_t kMaxSide = 8192;

// Half-open part of a raster.
struct Part {
  int64_t left = 0;
  int64_t top = 0;
  int64_t right = 0;
  int64_t bottom = 0;
};

// What a class has of the mask.
struct Tally {
  size_t pixels = 0;
  size_t scored = 0;  // of them, those whose score is in the sum
  double score_sum = 0;
};

// The part of an axis of `cells` that the picture covers.
std::pair<int64_t, int64_t> Covered(int64_t cells, int input_size, float offset, float scale,
                                    int picture_size) {
  const double unit = static_cast<double>(cells) / input_size;
  const double begin = std::round(offset * unit);
  const double end = std::round((offset + static_cast<double>(scale) * picture_size) * unit);
  // A geometry that is not finite, or covers nothing, leaves the whole raster.
  if (!(begin >= 0) || !(end > begin) || !(end <= static_cast<double>(cells))) return {0, cells};
  return {static_cast<int64_t>(begin), static_cast<int64_t>(end)};
}

class SegmentationDecoder final : public Decoder {
 public:
  explicit SegmentationDecoder(const ModelSpec& spec)
      : spec_(spec.decoder),
        name_(OutputName(spec.decoder, 0)),
        width_(spec.preprocess.width),
        height_(spec.preprocess.height) {}

  absl::StatusOr<Answers> Decode(std::span<const TensorView> outputs, int64_t row,
                                 const InputGeometry& geometry,
                                 const ThresholdSpec& thresholds) const override {
    WAYSTONE_RETURN_IF_ERROR(Check(FormsOf(outputs)).status());
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow output, OutputRow::Read(outputs[0], row, name_));
    const Shape& shape = outputs[0].shape;
    const auto [left, right] =
        Covered(shape[2], width_, geometry.offset_x, geometry.scale_x, geometry.picture_width);
    const auto [top, bottom] =
        Covered(shape[1], height_, geometry.offset_y, geometry.scale_y, geometry.picture_height);
    const Part part = {left, top, right, bottom};
    return shape[3] == 1 ? Probability(output.values(), shape, part, thresholds.score)
                         : LargestClass(output.values(), shape, part);
  }

  absl::StatusOr<int64_t> CountClasses(std::span<const TensorSignature> outputs) const override {
    return Check(FormsOf(outputs));
  }

 private:
  absl::StatusOr<int64_t> Check(std::span<const OutputForm> forms) const {
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(forms.size(), 1));
    WAYSTONE_RETURN_IF_ERROR(
        CheckOutput(name_, forms[0], {kDynamicDim, kDynamicDim, kDynamicDim, kDynamicDim}));
    const Shape& shape = forms[0].shape;
    if (shape[1] > kMaxSide || shape[2] > kMaxSide || shape[3] > kMaxClasses) {
      return absl::InvalidArgumentError(absl::StrCat(name_, " is ", shape.ToString(), "; the limits are ",
                                                     kMaxSide, " a side and ", kMaxClasses, " classes"));
    }
    return shape[3];
  }

  static SegmentMask MakeMask(SegmentMask::Kind kind, const Part& part) {
    SegmentMask mask;
    mask.kind = kind;
    mask.width = static_cast<int>(part.right - part.left);
    mask.height = static_cast<int>(part.bottom - part.top);
    mask.values.resize(static_cast<size_t>(mask.width) * static_cast<size_t>(mask.height));
    return mask;
  }

  // A mask of 255 * probability; the one class is answered where that is at least `least`.
  Answers Probability(std::span<const float> values, const Shape& shape, const Part& part,
                      float least) const {
    Answers answers;
    answers.mask = MakeMask(SegmentMask::Kind::kProbability, part);
    Tally tally;
    auto pixel = answers.mask.values.begin();
    for (int64_t y = part.top; y < part.bottom; ++y) {
      for (int64_t x = part.left; x < part.right; ++x, ++pixel) {
        const float raw = values[static_cast<size_t>(y * shape[2] + x)];
        float probability = spec_.sigmoid ? Logistic(raw) : raw;
        if (!(probability > 0)) probability = 0;  // NaN too
        probability = std::min(probability, 1.0F);
        *pixel = static_cast<uint8_t>(std::lround(255 * probability));
        if (probability < least) continue;
        ++tally.pixels;
        ++tally.scored;
        tally.score_sum += probability;
      }
    }
    AddSegments({&tally, 1}, answers);
    return answers;
  }

  Answers LargestClass(std::span<const float> values, const Shape& shape, const Part& part) const {
    Answers answers;
    answers.mask = MakeMask(SegmentMask::Kind::kClassIds, part);
    const size_t classes = static_cast<size_t>(shape[3]);
    std::vector<Tally> tallies(classes);
    auto pixel = answers.mask.values.begin();
    for (int64_t y = part.top; y < part.bottom; ++y) {
      for (int64_t x = part.left; x < part.right; ++x, ++pixel) {
        const std::span<const float> logits =
            values.subspan(static_cast<size_t>(y * shape[2] + x) * classes, classes);
        size_t best = 0;
        for (size_t i = 1; i < classes; ++i) {
          if (logits[i] > logits[best] || std::isnan(logits[best])) best = i;
        }
        *pixel = static_cast<uint8_t>(best);
        Tally& tally = tallies[best];
        // A softmax costs ten times the comparison, and neighbours have much the same: one in four is enough,
        // and the first, so that no class goes without.
        if (tally.pixels++ == 0 || (x % 2 == 0 && y % 2 == 0)) {
          ++tally.scored;
          tally.score_sum += SoftmaxOf(logits, best);
        }
      }
    }
    AddSegments(tallies, answers);
    return answers;
  }

  static double SoftmaxOf(std::span<const float> logits, size_t best) {
    if (!std::isfinite(logits[best])) return 0;
    float sum = 0;
    for (const float logit : logits) {
      const float distance = logit - logits[best];
      if (distance > -20) sum += std::exp(distance);  // less adds nothing that counts; NaN is left out
    }
    return 1 / static_cast<double>(std::max(sum, 1.0F));
  }

  // The classes that have pixels, largest share first.
  static void AddSegments(std::span<const Tally> tallies, Answers& answers) {
    for (size_t i = 0; i < tallies.size(); ++i) {
      if (tallies[i].pixels == 0) continue;
      const double pixels = static_cast<double>(tallies[i].pixels);
      answers.segments.push_back(
          {static_cast<int>(i), static_cast<float>(pixels / static_cast<double>(answers.mask.values.size())),
           static_cast<float>(tallies[i].score_sum / static_cast<double>(tallies[i].scored))});
    }
    std::sort(answers.segments.begin(), answers.segments.end(), [](const Segment& a, const Segment& b) {
      return a.share != b.share ? a.share > b.share : a.class_id < b.class_id;
    });
  }

  const DecoderSpec spec_;
  const std::string name_;
  const int width_;  // of the input, pixels
  const int height_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MakeSegmentationDecoder(const ModelSpec& spec) {
  if (!spec.decoder.outputs.empty())
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(spec.decoder.outputs.size(), 1));
  return std::make_unique<SegmentationDecoder>(spec);
}

}  // namespace waystone
