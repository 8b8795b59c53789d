// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/landmarks.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/postprocess/logistic.h"
#include "vision/postprocess/nms.h"
#include "vision/postprocess/output_check.h"

namespace waystone {
namespace {

constexpr int kMaxPoints = 1000;
enum Output : size_t { kPoints, kPresence, kWorld, kRightSide, kMostOutputs };

class LandmarksDecoder final : public Decoder {
 public:
  explicit LandmarksDecoder(const ModelSpec& spec) : spec_(spec.decoder) {}

  absl::StatusOr<Answers> Decode(std::span<const TensorView> outputs, int64_t row,
                                 const InputGeometry& geometry,
                                 const ThresholdSpec& thresholds) const override {
    WAYSTONE_RETURN_IF_ERROR(Check(FormsOf(outputs)));
    std::vector<OutputRow> rows;
    for (size_t i = 0; i < outputs.size(); ++i) {
      WAYSTONE_ASSIGN_OR_RETURN(OutputRow values, OutputRow::Read(outputs[i], row, OutputName(spec_, i)));
      rows.push_back(std::move(values));
    }
    const float presence = rows[kPresence].values()[0];
    LandmarkSet found;
    found.score = std::clamp(spec_.sigmoid ? Logistic(presence) : presence, 0.0F, 1.0F);
    // Also false for NaN.
    if (!(found.score >= thresholds.score)) return Answers{};
    if (!ReadPoints(rows[kPoints].values(), geometry, found)) return Answers{};
    if (rows.size() > kWorld) ReadWorld(rows[kWorld].values(), found);
    if (rows.size() > kRightSide && std::isfinite(rows[kRightSide].values()[0])) {
      found.right_side = std::clamp(rows[kRightSide].values()[0], 0.0F, 1.0F);
    }
    found.box = BoxAround(found.points);
    Answers answers;
    answers.landmarks.push_back(std::move(found));
    return answers;
  }

  absl::StatusOr<int64_t> CountClasses(std::span<const TensorSignature> outputs) const override {
    WAYSTONE_RETURN_IF_ERROR(Check(FormsOf(outputs)));
    return kDynamicDim;
  }

 private:
  // The numbers of a row, kDynamicDim when open.
  absl::StatusOr<int64_t> Numbers(const OutputForm& form, size_t index) const {
    const std::optional<int64_t> numbers = FlatRow(form.shape);
    const std::string name = OutputName(spec_, index);
    if (!numbers.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " is ", form.shape.ToString(),
                       "; the decoder reads [-1,numbers], further axes of 1 allowed"));
    }
    WAYSTONE_RETURN_IF_ERROR(
        CheckOutput(name, {form.type, {kDynamicDim, *numbers}}, {kDynamicDim, kDynamicDim}));
    return *numbers;
  }

  absl::Status Check(std::span<const OutputForm> forms) const {
    if (forms.size() < 2 || forms.size() > kMostOutputs) {
      return absl::InvalidArgumentError(absl::StrCat("the decoder reads 2 to ", size_t{kMostOutputs},
                                                     " output tensors, given ", forms.size(),
                                                     "; see decoder.outputs"));
    }
    for (size_t i = 0; i < forms.size(); ++i) {
      WAYSTONE_ASSIGN_OR_RETURN(const int64_t numbers, Numbers(forms[i], i));
      if (numbers == kDynamicDim) continue;
      const int64_t values = i == kPoints ? spec_.point_values : i == kWorld ? 3 : 1;
      const int64_t least = i == kPoints ? int64_t{spec_.point_count} * values : values;
      const bool single = i == kPresence || i == kRightSide;
      if (numbers < least || numbers % values != 0 || numbers > int64_t{kMaxPoints} * values ||
          (single && numbers != 1)) {
        return absl::InvalidArgumentError(
            absl::StrCat(OutputName(spec_, i), " has ", numbers, " numbers; the decoder reads ",
                         single ? "1" : absl::StrCat(least, " or more, ", values, " a point")));
      }
    }
    return absl::OkStatus();
  }

  // False when a number is not finite.
  bool ReadPoints(std::span<const float> raw, const InputGeometry& geometry, LandmarkSet& found) const {
    const size_t width = static_cast<size_t>(spec_.point_values);
    for (size_t i = 0; i + width <= raw.size(); i += width) {
      Landmark point = {raw[i], raw[i + 1]};
      if (width >= 3) point.z = raw[i + 2];
      if (width >= 5) point.score = std::min(Logistic(raw[i + 3]), Logistic(raw[i + 4]));
      point = ToPicture(point, geometry);
      if (!IsFinite(point)) return false;
      const bool answered = found.points.size() < static_cast<size_t>(spec_.point_count);
      (answered ? found.points : found.guide_points).push_back(point);
    }
    return found.points.size() == static_cast<size_t>(spec_.point_count);
  }

  void ReadWorld(std::span<const float> raw, LandmarkSet& found) const {
    for (size_t i = 0; i + 3 <= raw.size() && found.world_points.size() < found.points.size(); i += 3) {
      found.world_points.push_back({raw[i], raw[i + 1], raw[i + 2]});
    }
    const bool finite = std::all_of(raw.begin(), raw.end(), [](float value) { return std::isfinite(value); });
    if (!finite) found.world_points.clear();
  }

  const DecoderSpec spec_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MakeLandmarksDecoder(const ModelSpec& spec) {
  const DecoderSpec& decoder = spec.decoder;
  if (decoder.point_values != 2 && decoder.point_values != 3 && decoder.point_values != 5) {
    return absl::InvalidArgumentError(
        absl::StrCat("decoder.point_values is ", decoder.point_values, "; it must be 2, 3 or 5"));
  }
  if (decoder.point_count < 1 || decoder.point_count > kMaxPoints) {
    return absl::InvalidArgumentError(
        absl::StrCat("decoder.point_count is ", decoder.point_count, "; it must be 1 to ", kMaxPoints));
  }
  if (!decoder.outputs.empty() && (decoder.outputs.size() < 2 || decoder.outputs.size() > kMostOutputs)) {
    return absl::InvalidArgumentError(
        absl::StrCat("decoder.outputs names ", decoder.outputs.size(),
                     " tensors; landmarks reads points, presence, and if there are "
                     "any points in space and the right side"));
  }
  return std::make_unique<LandmarksDecoder>(spec);
}

}  // namespace waystone
