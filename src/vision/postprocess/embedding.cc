// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/embedding.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/postprocess/output_check.h"

namespace waystone {
namespace {

constexpr int64_t kMaxSize = 65536;

class EmbeddingDecoder final : public Decoder {
 public:
  explicit EmbeddingDecoder(const DecoderSpec& spec) : spec_(spec), name_(OutputName(spec, 0)) {}

  // InvalidArgument for a vector that has no direction: all zeros, or with a number that is not finite.
  absl::StatusOr<Answers> Decode(std::span<const TensorView> outputs, int64_t row,
                                 const InputGeometry& geometry, const ThresholdSpec&) const override {
    WAYSTONE_RETURN_IF_ERROR(Check(FormsOf(outputs)));
    WAYSTONE_ASSIGN_OR_RETURN(const OutputRow output, OutputRow::Read(outputs[0], row, name_));
    Embedding embedding;
    double squares = 0;
    for (const float raw : output.values()) {
      const float value = (raw - spec_.output_zero) * spec_.output_scale;
      embedding.values.push_back(value);
      squares += static_cast<double>(value) * value;
    }
    if (!std::isfinite(squares) || squares <= 0) {
      return absl::InvalidArgumentError(name_ + " has no direction: it is all zeros, or not finite");
    }
    const double scale = 1 / std::sqrt(squares);
    for (float& value : embedding.values) value = static_cast<float>(value * scale);
    embedding.box = {0, 0, static_cast<float>(geometry.picture_width),
                     static_cast<float>(geometry.picture_height)};
    Answers answers;
    answers.embeddings.push_back(std::move(embedding));
    return answers;
  }

  absl::StatusOr<int64_t> CountClasses(std::span<const TensorSignature> outputs) const override {
    WAYSTONE_RETURN_IF_ERROR(Check(FormsOf(outputs)));
    return kDynamicDim;
  }

 private:
  absl::Status Check(std::span<const OutputForm> forms) const {
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(forms.size(), 1));
    const auto& [type, shape] = forms[0];
    const std::optional<int64_t> size = FlatRow(shape);
    if (IsReadable(type) && size.has_value() && *size != 0 && *size <= kMaxSize) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(name_, " is ", Name(type), shape.ToString(),
                     "; the decoder reads FP32, FP16, BF16, UINT8 or INT8 [-1,size] "
                     "with a size up to ",
                     kMaxSize, ", further axes of 1 allowed"));
  }

  const DecoderSpec spec_;
  const std::string name_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MakeEmbeddingDecoder(const ModelSpec& spec) {
  if (!spec.decoder.outputs.empty())
    WAYSTONE_RETURN_IF_ERROR(CheckOutputCount(spec.decoder.outputs.size(), 1));
  if (!std::isfinite(spec.decoder.output_scale) || !std::isfinite(spec.decoder.output_zero)) {
    return absl::InvalidArgumentError("decoder.scale and decoder.zero must be finite");
  }
  return std::make_unique<EmbeddingDecoder>(spec.decoder);
}

}  // namespace waystone
