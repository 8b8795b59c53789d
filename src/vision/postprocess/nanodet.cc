// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/nanodet.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/postprocess/candidates.h"
#include "vision/postprocess/grid.h"
#include "vision/postprocess/nms.h"
#include "vision/postprocess/output_check.h"

namespace waystone {
namespace {

constexpr int kMaxRegMax = 32;

class NanodetDecoder final : public Decoder {
 public:
  NanodetDecoder(const DecoderSpec& spec, Grid grid)
      : spec_(spec), grid_(std::move(grid)), bins_(static_cast<size_t>(spec.reg_max) + 1) {}

  absl::StatusOr<Answers> Decode(std::span<const TensorView> outputs, int64_t row,
                                 const InputGeometry& geometry,
                                 const ThresholdSpec& thresholds) const override {
    WAYSTONE_ASSIGN_OR_RETURN(const int64_t classes, Check(FormsOf(outputs)));
    std::vector<OutputRow> rows;
    for (size_t i = 0; i < outputs.size(); ++i) {
      WAYSTONE_ASSIGN_OR_RETURN(OutputRow values, OutputRow::Read(outputs[i], row, OutputName(spec_, i)));
      rows.push_back(std::move(values));
    }
    CandidateList candidates(classes, thresholds.score);
    const size_t width = static_cast<size_t>(classes);
    for (size_t i = 0; i < grid_.levels().size(); ++i) {
      const Grid::Level& level = grid_.levels()[i];
      for (int32_t cell = 0; cell < level.cells; ++cell) {
        candidates.AddClasses(rows[i].values().subspan(static_cast<size_t>(cell) * width, width),
                              candidates.floor(), level.first_cell + cell, thresholds.best_class_only,
                              [](float score) { return score; });
      }
    }
    absl::flat_hash_map<int32_t, Box>
        boxes;  // a cell may answer for several classes, and its box costs 32 exponentials
    const auto box_of = [&](int32_t cell) {
      const auto [at, is_new] = boxes.try_emplace(cell);
      if (is_new) at->second = BoxOf(cell, rows);
      return at->second;
    };
    return Answers{.detections = MakeDetections(candidates, box_of, geometry, thresholds)};
  }

  absl::StatusOr<int64_t> CountClasses(std::span<const TensorSignature> outputs) const override {
    return Check(FormsOf(outputs));
  }

 private:
  // The number of classes, kDynamicDim when it is open.
  absl::StatusOr<int64_t> Check(std::span<const OutputForm> forms) const {
    const size_t levels = grid_.levels().size();
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(forms.size(), 2 * levels));
    int64_t classes = kDynamicDim;
    for (size_t i = 0; i < levels; ++i) {
      const int64_t cells = grid_.levels()[i].cells;
      const OutputForm& distances = forms[levels + i];
      WAYSTONE_RETURN_IF_ERROR(CheckOutput(OutputName(spec_, i), forms[i], {kDynamicDim, cells, classes}));
      WAYSTONE_RETURN_IF_ERROR(CheckOutput(OutputName(spec_, levels + i), distances,
                                           {kDynamicDim, cells, 4 * static_cast<int64_t>(bins_)}));
      if (classes == kDynamicDim) classes = forms[i].shape[2];
    }
    WAYSTONE_RETURN_IF_ERROR(CheckClassCount(OutputName(spec_, 0), classes));
    return classes;
  }

  Box BoxOf(int32_t cell, std::span<const OutputRow> rows) const {
    const Grid::Position at = grid_.At(cell);
    const OutputRow& distances = rows[grid_.levels().size() + at.level];
    const std::span<const float> raw =
        distances.values().subspan(static_cast<size_t>(at.index) * 4 * bins_, 4 * bins_);
    const float stride = static_cast<float>(at.stride);
    const float center_x = static_cast<float>(at.x) * stride + (stride - 1) / 2;
    const float center_y = static_cast<float>(at.y) * stride + (stride - 1) / 2;
    return {center_x - Side(raw.subspan(0, bins_)) * stride,
            center_y - Side(raw.subspan(bins_, bins_)) * stride,
            center_x + Side(raw.subspan(2 * bins_, bins_)) * stride,
            center_y + Side(raw.subspan(3 * bins_, bins_)) * stride};
  }

  // The mean of a distribution given as logits over 0, 1, 2, ...
  static float Side(std::span<const float> logits) {
    const float largest = *std::max_element(logits.begin(), logits.end());
    float sum = 0;
    float weighted = 0;
    for (size_t i = 0; i < logits.size(); ++i) {
      const float weight = std::exp(logits[i] - largest);
      sum += weight;
      weighted += weight * static_cast<float>(i);
    }
    return weighted / sum;
  }

  const DecoderSpec spec_;
  const Grid grid_;
  const size_t bins_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MakeNanodetDecoder(const ModelSpec& spec) {
  WAYSTONE_ASSIGN_OR_RETURN(Grid grid, Grid::Create(spec));
  if (!spec.decoder.outputs.empty()) {
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(spec.decoder.outputs.size(), 2 * grid.levels().size()));
  }
  if (spec.decoder.reg_max < 1 || spec.decoder.reg_max > kMaxRegMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("decoder.reg_max is ", spec.decoder.reg_max, "; it must be 1 to ", kMaxRegMax));
  }
  return std::make_unique<NanodetDecoder>(spec.decoder, std::move(grid));
}

}  // namespace waystone
