// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/yunet.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/postprocess/candidates.h"
#include "vision/postprocess/grid.h"
#include "vision/postprocess/nms.h"
#include "vision/postprocess/output_check.h"

namespace waystone {
namespace {

constexpr int64_t kMaxPoints = 1000;

// The tensors of one stride.
struct Level {
  OutputRow classes;
  OutputRow objectness;
  OutputRow boxes;
  OutputRow points;
};

class YunetDecoder final : public Decoder {
 public:
  YunetDecoder(const DecoderSpec& spec, Grid grid) : spec_(spec), grid_(std::move(grid)) {}

  absl::StatusOr<Answers> Decode(std::span<const TensorView> outputs, int64_t row,
                                 const InputGeometry& geometry,
                                 const ThresholdSpec& thresholds) const override {
    WAYSTONE_RETURN_IF_ERROR(Check(FormsOf(outputs)));
    std::vector<Level> levels;
    for (size_t i = 0; i < grid_.levels().size(); ++i) {
      WAYSTONE_ASSIGN_OR_RETURN(OutputRow classes, Read(outputs, 0, i, row));
      WAYSTONE_ASSIGN_OR_RETURN(OutputRow objectness, Read(outputs, 1, i, row));
      WAYSTONE_ASSIGN_OR_RETURN(OutputRow boxes, Read(outputs, 2, i, row));
      WAYSTONE_ASSIGN_OR_RETURN(OutputRow points, Read(outputs, 3, i, row));
      levels.push_back({std::move(classes), std::move(objectness), std::move(boxes), std::move(points)});
    }
    CandidateList candidates(1, thresholds.score);
    for (int32_t cell = 0; cell < grid_.cells(); ++cell) {
      const Grid::Position at = grid_.At(cell);
      const Level& level = levels[at.level];
      const size_t index = static_cast<size_t>(at.index);
      const float score = level.classes.values()[index] * level.objectness.values()[index];
      candidates.Add(std::sqrt(std::max(score, 0.0F)), cell, 0);
    }
    const auto box_of = [&](int32_t cell) { return BoxOf(levels, grid_.At(cell)); };
    const auto points_of = [&](int32_t cell) { return PointsOf(levels, grid_.At(cell)); };
    return Answers{.detections = MakeDetections(candidates, box_of, points_of, geometry, thresholds)};
  }

  absl::StatusOr<int64_t> CountClasses(std::span<const TensorSignature> outputs) const override {
    WAYSTONE_RETURN_IF_ERROR(Check(FormsOf(outputs)));
    return 1;
  }

 private:
  size_t IndexOf(size_t kind, size_t level) const { return kind * grid_.levels().size() + level; }

  absl::StatusOr<OutputRow> Read(std::span<const TensorView> outputs, size_t kind, size_t level,
                                 int64_t row) const {
    const size_t index = IndexOf(kind, level);
    return OutputRow::Read(outputs[index], row, OutputName(spec_, index));
  }

  absl::Status Check(std::span<const OutputForm> forms) const {
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(forms.size(), 4 * grid_.levels().size()));
    for (size_t level = 0; level < grid_.levels().size(); ++level) {
      const int64_t cells = grid_.levels()[level].cells;
      for (size_t kind = 0; kind < 4; ++kind) {
        const size_t index = IndexOf(kind, level);
        const int64_t wanted = kind < 2 ? 1 : kind == 2 ? 4 : kDynamicDim;
        WAYSTONE_RETURN_IF_ERROR(
            CheckOutput(OutputName(spec_, index), forms[index], {kDynamicDim, cells, wanted}));
      }
      const size_t index = IndexOf(3, level);
      const int64_t numbers = forms[index].shape[2];
      if (numbers != kDynamicDim && (numbers % 2 != 0 || numbers > 2 * kMaxPoints)) {
        return absl::InvalidArgumentError(absl::StrCat(OutputName(spec_, index), " is ",
                                                       forms[index].shape.ToString(),
                                                       "; the last axis must hold two numbers a point"));
      }
    }
    return absl::OkStatus();
  }

  static Box BoxOf(const std::vector<Level>& levels, const Grid::Position& at) {
    const std::span<const float> raw =
        levels[at.level].boxes.values().subspan(4 * static_cast<size_t>(at.index), 4);
    const float stride = static_cast<float>(at.stride);
    const float center_x = (static_cast<float>(at.x) + raw[0]) * stride;
    const float center_y = (static_cast<float>(at.y) + raw[1]) * stride;
    const float half_width = std::exp(raw[2]) * stride / 2;
    const float half_height = std::exp(raw[3]) * stride / 2;
    return {center_x - half_width, center_y - half_height, center_x + half_width, center_y + half_height};
  }

  std::vector<Landmark> PointsOf(const std::vector<Level>& levels, const Grid::Position& at) const {
    const std::span<const float> values = levels[at.level].points.values();
    const size_t width = values.size() / static_cast<size_t>(grid_.levels()[at.level].cells);
    const std::span<const float> raw = values.subspan(width * static_cast<size_t>(at.index), width);
    const float stride = static_cast<float>(at.stride);
    std::vector<Landmark> points;
    for (size_t i = 0; i + 1 < width; i += 2) {
      points.push_back(
          {(static_cast<float>(at.x) + raw[i]) * stride, (static_cast<float>(at.y) + raw[i + 1]) * stride});
    }
    return points;
  }

  const DecoderSpec spec_;
  const Grid grid_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MakeYunetDecoder(const ModelSpec& spec) {
  WAYSTONE_ASSIGN_OR_RETURN(Grid grid, Grid::Create(spec));
  if (!spec.decoder.outputs.empty())
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(spec.decoder.outputs.size(), 4 * grid.levels().size()));
  return std::make_unique<YunetDecoder>(spec.decoder, std::move(grid));
}

}  // namespace waystone
