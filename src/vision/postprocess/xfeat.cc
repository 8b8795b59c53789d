// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/xfeat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/postprocess/nms.h"
#include "vision/postprocess/output_check.h"

namespace waystone {
namespace {

constexpr int kCell = 8;  // pixels
constexpr size_t kPlaces = kCell * kCell;
constexpr int kReach = 2;  // pixels in which a keypoint is the largest
constexpr int64_t kMaxDescriptor = 4096;

// A bilinear read of one plane: four cells and their weights.
struct Taps {
  std::array<size_t, 4> cells;
  std::array<float, 4> weights;

  float Read(std::span<const float> plane) const {
    float sum = 0;
    for (size_t i = 0; i < 4; ++i) sum += weights[i] * plane[cells[i]];
    return sum;
  }
};

class XfeatDecoder final : public Decoder {
 public:
  explicit XfeatDecoder(const ModelSpec& spec)
      : spec_(spec.decoder),
        width_(spec.preprocess.width),
        height_(spec.preprocess.height),
        columns_(width_ / kCell),
        rows_(height_ / kCell) {}

  absl::StatusOr<Answers> Decode(std::span<const TensorView> outputs, int64_t row,
                                 const InputGeometry& geometry,
                                 const ThresholdSpec& thresholds) const override {
    WAYSTONE_RETURN_IF_ERROR(Check(FormsOf(outputs)));
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow descriptors,
                              OutputRow::Read(outputs[0], row, OutputName(spec_, 0)));
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow logits, OutputRow::Read(outputs[1], row, OutputName(spec_, 1)));
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow reliability,
                              OutputRow::Read(outputs[2], row, OutputName(spec_, 2)));
    const std::vector<float> heat = HeatMap(logits.values());
    std::vector<Landmark> points = Maxima(heat, reliability.values(), thresholds.score);
    const size_t most = static_cast<size_t>(std::max(thresholds.max_detections, 0));
    std::sort(points.begin(), points.end(), [](const Landmark& a, const Landmark& b) {
      return std::tie(b.score, a.y, a.x) < std::tie(a.score, b.y, b.x);
    });
    if (points.size() > most) points.resize(most);
    Answers answers;
    answers.features.descriptor_size = static_cast<int>(outputs[0].shape[1]);
    Describe(points, descriptors.values(), geometry, answers.features);
    return answers;
  }

  absl::StatusOr<int64_t> CountClasses(std::span<const TensorSignature> outputs) const override {
    WAYSTONE_RETURN_IF_ERROR(Check(FormsOf(outputs)));
    return kDynamicDim;
  }

 private:
  absl::Status Check(std::span<const OutputForm> forms) const {
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(forms.size(), 3));
    const std::array<int64_t, 3> planes = {kDynamicDim, kPlaces + 1, 1};
    for (size_t i = 0; i < 3; ++i) {
      WAYSTONE_RETURN_IF_ERROR(
          CheckOutput(OutputName(spec_, i), forms[i], {kDynamicDim, planes[i], rows_, columns_}));
    }
    if (forms[0].shape[1] > kMaxDescriptor) {
      return absl::InvalidArgumentError(absl::StrCat(OutputName(spec_, 0), " has ", forms[0].shape[1],
                                                     " numbers a descriptor; the limit is ", kMaxDescriptor));
    }
    return absl::OkStatus();
  }

  // Probabilities of a keypoint for each pixel of the input.
  std::vector<float> HeatMap(std::span<const float> logits) const {
    const size_t cells = static_cast<size_t>(rows_) * static_cast<size_t>(columns_);
    std::vector<float> heat(static_cast<size_t>(width_) * static_cast<size_t>(height_));
    std::array<float, kPlaces + 1> values;
    for (size_t cell = 0; cell < cells; ++cell) {
      float largest = -INFINITY;
      for (size_t i = 0; i <= kPlaces; ++i) {
        values[i] = logits[i * cells + cell];
        largest = std::max(largest, values[i]);
      }
      float sum = 0;
      for (float& value : values) {
        value = std::exp(value - largest);
        sum += value;
      }
      const size_t left = cell % static_cast<size_t>(columns_) * kCell;
      const size_t top = cell / static_cast<size_t>(columns_) * kCell;
      for (size_t i = 0; i < kPlaces; ++i) {
        const float probability = values[i] / sum;
        heat[(top + i / kCell) * static_cast<size_t>(width_) + left + i % kCell] =
            std::isfinite(probability) ? probability : 0.0F;
      }
    }
    return heat;
  }

  bool IsMaximum(const std::vector<float>& heat, int x, int y) const {
    const float value = heat[Index(x, y)];
    for (int dy = std::max(y - kReach, 0); dy <= std::min(y + kReach, height_ - 1); ++dy) {
      for (int dx = std::max(x - kReach, 0); dx <= std::min(x + kReach, width_ - 1); ++dx) {
        if (heat[Index(dx, dy)] > value) return false;
      }
    }
    return true;
  }

  size_t Index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
  }

  std::vector<Landmark> Maxima(const std::vector<float>& heat, std::span<const float> reliability,
                               float least) const {
    std::vector<Landmark> points;
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        const float value = heat[Index(x, y)];
        if (!(value > least) || !IsMaximum(heat, x, y)) continue;
        const float score = value * TapsAt(x, y).Read(reliability);
        if (score > 0 && std::isfinite(score)) {
          points.push_back({static_cast<float>(x), static_cast<float>(y), 0, std::min(score, 1.0F)});
        }
      }
    }
    return points;
  }

  // Where a pixel lies among the cells, as the network's authors sample: x / (width - 1) * columns - 1/2.
  // Cells beyond the edge count as 0.
  Taps TapsAt(int x, int y) const {
    const float at_x =
        static_cast<float>(x) / static_cast<float>(width_ - 1) * static_cast<float>(columns_) - 0.5F;
    const float at_y =
        static_cast<float>(y) / static_cast<float>(height_ - 1) * static_cast<float>(rows_) - 0.5F;
    const int left = static_cast<int>(std::floor(at_x));
    const int top = static_cast<int>(std::floor(at_y));
    const float right_weight = at_x - static_cast<float>(left);
    const float bottom_weight = at_y - static_cast<float>(top);
    Taps taps = {};
    for (size_t i = 0; i < 4; ++i) {
      const int column = left + static_cast<int>(i % 2);
      const int row = top + static_cast<int>(i / 2);
      if (column < 0 || row < 0 || column >= columns_ || row >= rows_) continue;
      taps.cells[i] = static_cast<size_t>(row) * static_cast<size_t>(columns_) + static_cast<size_t>(column);
      taps.weights[i] =
          (i % 2 == 1 ? right_weight : 1 - right_weight) * (i / 2 == 1 ? bottom_weight : 1 - bottom_weight);
    }
    return taps;
  }

  // Fills `features`; points whose descriptor has no direction are left out.
  void Describe(const std::vector<Landmark>& points, std::span<const float> planes,
                const InputGeometry& geometry, FeatureSet& features) const {
    const size_t cells = static_cast<size_t>(rows_) * static_cast<size_t>(columns_);
    const size_t size = static_cast<size_t>(features.descriptor_size);
    // The network's descriptors are not of length 1 yet, and are sampled as if they were.
    std::vector<float> length(cells);
    for (size_t i = 0; i < size; ++i) {
      for (size_t cell = 0; cell < cells; ++cell)
        length[cell] += planes[i * cells + cell] * planes[i * cells + cell];
    }
    for (float& value : length) value = std::sqrt(value);
    std::vector<float> descriptor(size);
    for (const Landmark& point : points) {
      Taps taps = TapsAt(static_cast<int>(point.x), static_cast<int>(point.y));
      for (size_t i = 0; i < 4; ++i) taps.weights[i] /= std::max(length[taps.cells[i]], 1e-12F);
      double squares = 0;
      for (size_t i = 0; i < size; ++i) {
        descriptor[i] = taps.Read(planes.subspan(i * cells, cells));
        squares += static_cast<double>(descriptor[i]) * descriptor[i];
      }
      const Landmark in_picture = ToPicture({point.x + 0.5F, point.y + 0.5F, 0, point.score}, geometry);
      if (!std::isfinite(squares) || squares <= 0 || !IsFinite(in_picture)) continue;
      features.points.push_back(in_picture);
      const float scale = static_cast<float>(1 / std::sqrt(squares));
      for (const float value : descriptor) features.descriptors.push_back(value * scale);
    }
  }

  const DecoderSpec spec_;
  const int width_;  // of the input, pixels
  const int height_;
  const int columns_;  // cells
  const int rows_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MakeXfeatDecoder(const ModelSpec& spec) {
  if (!spec.decoder.outputs.empty())
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(spec.decoder.outputs.size(), 3));
  const PreprocessSpec& input = spec.preprocess;
  if (input.width < 2 * kCell || input.height < 2 * kCell || input.width % kCell != 0 ||
      input.height % kCell != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("an input of ", input.width, "x", input.height,
                     " does not fit xfeat; its sides are multiples of 8, at least 16"));
  }
  return std::make_unique<XfeatDecoder>(spec);
}

}  // namespace waystone
