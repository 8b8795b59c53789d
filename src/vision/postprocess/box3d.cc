// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/box3d.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "vision/postprocess/nms.h"
#include "vision/postprocess/output_check.h"

namespace waystone {
namespace {

class Box3dDecoder final : public Decoder {
 public:
  explicit Box3dDecoder(const DecoderSpec& spec) : spec_(spec) {}

  absl::StatusOr<Answers> Decode(std::span<const TensorView> outputs, int64_t row,
                                 const InputGeometry& geometry,
                                 const ThresholdSpec& thresholds) const override {
    WAYSTONE_RETURN_IF_ERROR(Check(FormsOf(outputs)));
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow points, OutputRow::Read(outputs[0], row, OutputName(spec_, 0)));
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow presence,
                              OutputRow::Read(outputs[1], row, OutputName(spec_, 1)));
    Box3d found;
    found.score = std::min(presence.values()[0], 1.0F);
    if (!(found.score >= thresholds.score)) return Answers{};  // NaN too
    for (size_t i = 0; i < found.points.size(); ++i) {
      found.points[i] = ToPicture({points.values()[2 * i], points.values()[2 * i + 1]}, geometry);
      if (!IsFinite(found.points[i])) return Answers{};
    }
    found.box = BoxAround(found.points);
    Answers answers;
    answers.boxes3d.push_back(std::move(found));
    return answers;
  }

  absl::StatusOr<int64_t> CountClasses(std::span<const TensorSignature> outputs) const override {
    WAYSTONE_RETURN_IF_ERROR(Check(FormsOf(outputs)));
    return 1;
  }

 private:
  absl::Status Check(std::span<const OutputForm> forms) const {
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(forms.size(), 2));
    WAYSTONE_RETURN_IF_ERROR(CheckOutput(OutputName(spec_, 0), forms[0], {kDynamicDim, 18}));
    return CheckOutput(OutputName(spec_, 1), forms[1], {kDynamicDim, 1});
  }

  const DecoderSpec spec_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MakeBox3dDecoder(const ModelSpec& spec) {
  if (!spec.decoder.outputs.empty())
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(spec.decoder.outputs.size(), 2));
  return std::make_unique<Box3dDecoder>(spec.decoder);
}

}  // namespace waystone
