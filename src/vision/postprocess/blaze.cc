// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/blaze.h"

#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/postprocess/candidates.h"
#include "vision/postprocess/logistic.h"
#include "vision/postprocess/nms.h"
#include "vision/postprocess/output_check.h"

namespace waystone {
namespace {

constexpr int64_t kMaxAnchors = int64_t{1} << 22;
constexpr int64_t kMaxNumbers = 4 + 2 * 1000;

struct AnchorPoint {
  float x = 0;  // pixels of the input
  float y = 0;
};

absl::StatusOr<std::vector<AnchorPoint>> MakeAnchors(const ModelSpec& spec) {
  const DecoderSpec& decoder = spec.decoder;
  if (decoder.grids.empty() || decoder.grids.size() != decoder.anchors_per_cell.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("decoder.grids has ", decoder.grids.size(), " numbers and decoder.anchors_per_cell ",
                     decoder.anchors_per_cell.size(), "; each grid wants both"));
  }
  std::vector<AnchorPoint> anchors;
  for (size_t i = 0; i < decoder.grids.size(); ++i) {
    const int64_t cells = decoder.grids[i];
    const int64_t copies = decoder.anchors_per_cell[i];
    if (cells < 1 || copies < 1 || cells > 4096 || copies > 4096 ||
        static_cast<int64_t>(anchors.size()) + cells * cells * copies > kMaxAnchors) {
      return absl::InvalidArgumentError(absl::StrCat("a grid of ", cells, " x ", cells, " cells with ",
                                                     copies, " anchors each is out of range"));
    }
    for (int64_t cell = 0; cell < cells * cells; ++cell) {
      const float x = (static_cast<float>(cell % cells) + 0.5F) / static_cast<float>(cells);
      const float y = (static_cast<float>(cell / cells) + 0.5F) / static_cast<float>(cells);
      anchors.insert(anchors.end(), static_cast<size_t>(copies),
                     AnchorPoint{x * static_cast<float>(spec.preprocess.width),
                                 y * static_cast<float>(spec.preprocess.height)});
    }
  }
  return anchors;
}

class BlazeDecoder final : public Decoder {
 public:
  BlazeDecoder(const DecoderSpec& spec, std::vector<AnchorPoint> anchors)
      : spec_(spec), anchors_(std::move(anchors)) {}

  absl::StatusOr<Answers> Decode(std::span<const TensorView> outputs, int64_t row,
                                 const InputGeometry& geometry,
                                 const ThresholdSpec& thresholds) const override {
    WAYSTONE_RETURN_IF_ERROR(Check(FormsOf(outputs)));
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow numbers,
                              OutputRow::Read(outputs[0], row, OutputName(spec_, 0)));
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow logits, OutputRow::Read(outputs[1], row, OutputName(spec_, 1)));
    const float logit_floor = LogitBelow(thresholds.score);
    CandidateList candidates(1, thresholds.score);
    for (size_t i = 0; i < anchors_.size(); ++i) {
      const float logit = logits.values()[i];
      if (logit >= logit_floor) candidates.Add(Logistic(logit), static_cast<int32_t>(i), 0);
    }
    const size_t width = numbers.values().size() / anchors_.size();
    const auto raw_of = [&](int32_t cell) {
      return numbers.values().subspan(static_cast<size_t>(cell) * width, width);
    };
    const auto box_of = [&](int32_t cell) { return BoxOf(cell, raw_of(cell)); };
    const auto points_of = [&](int32_t cell) { return PointsOf(cell, raw_of(cell)); };
    return Answers{.detections = MakeDetections(candidates, box_of, points_of, geometry, thresholds)};
  }

  absl::StatusOr<int64_t> CountClasses(std::span<const TensorSignature> outputs) const override {
    WAYSTONE_RETURN_IF_ERROR(Check(FormsOf(outputs)));
    return 1;
  }

 private:
  absl::Status Check(std::span<const OutputForm> forms) const {
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(forms.size(), 2));
    const int64_t anchors = static_cast<int64_t>(anchors_.size());
    WAYSTONE_RETURN_IF_ERROR(
        CheckOutput(OutputName(spec_, 0), forms[0], {kDynamicDim, anchors, kDynamicDim}));
    WAYSTONE_RETURN_IF_ERROR(CheckOutput(OutputName(spec_, 1), forms[1], {kDynamicDim, anchors, 1}));
    const int64_t numbers = forms[0].shape[2];
    if (numbers != kDynamicDim && (numbers < 4 || numbers % 2 != 0 || numbers > kMaxNumbers)) {
      return absl::InvalidArgumentError(
          absl::StrCat(OutputName(spec_, 0), " is ", forms[0].shape.ToString(),
                       "; the last axis must hold 4 numbers of the box and two a point"));
    }
    return absl::OkStatus();
  }

  Box BoxOf(int32_t cell, std::span<const float> raw) const {
    const AnchorPoint& anchor = anchors_[static_cast<size_t>(cell)];
    const float center_x = anchor.x + raw[0];
    const float center_y = anchor.y + raw[1];
    // A network may give a negative size; the box has none then.
    const float half_width = std::max(raw[2], 0.0F) / 2;
    const float half_height = std::max(raw[3], 0.0F) / 2;
    return {center_x - half_width, center_y - half_height, center_x + half_width, center_y + half_height};
  }

  std::vector<Landmark> PointsOf(int32_t cell, std::span<const float> raw) const {
    const AnchorPoint& anchor = anchors_[static_cast<size_t>(cell)];
    std::vector<Landmark> points;
    for (size_t i = 4; i + 1 < raw.size(); i += 2)
      points.push_back({anchor.x + raw[i], anchor.y + raw[i + 1]});
    return points;
  }

  const DecoderSpec spec_;
  const std::vector<AnchorPoint> anchors_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MakeBlazeDecoder(const ModelSpec& spec) {
  if (!spec.decoder.outputs.empty())
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(spec.decoder.outputs.size(), 2));
  WAYSTONE_ASSIGN_OR_RETURN(std::vector<AnchorPoint> anchors, MakeAnchors(spec));
  return std::make_unique<BlazeDecoder>(spec.decoder, std::move(anchors));
}

}  // namespace waystone
