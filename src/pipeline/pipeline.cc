// SPDX-License-Identifier: Apache-2.0
#include "pipeline/pipeline.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/decode/decode.h"

namespace waystone {
namespace {

// "a", "b", "c".
std::string NamesOf(const std::vector<TensorSignature>& tensors) {
  std::string names;
  for (const TensorSignature& tensor : tensors) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", "\"", tensor.name, "\"");
  }
  return names;
}

// The one input a picture fills.
absl::StatusOr<TensorSignature> FindInput(const ModelSpec& spec, const ModelSignature& signature) {
  if (signature.inputs.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("the model has ", signature.inputs.size(), " inputs (",
                                                   NamesOf(signature.inputs), "); a picture fills one"));
  }
  const TensorSignature& input = signature.inputs.front();
  if (!spec.input.empty() && spec.input != input.name) {
    return absl::InvalidArgumentError(
        absl::StrCat("input.tensor is \"", spec.input, "\"; the model's input is \"", input.name, "\""));
  }
  return input;
}

Shape InputShapeOf(const PreprocessSpec& spec, int64_t batch) {
  if (spec.layout == Layout::kNchw) return {batch, spec.channels(), spec.height, spec.width};
  return {batch, spec.height, spec.width, spec.channels()};
}

absl::Status CheckInput(const PreprocessSpec& spec, const TensorSignature& input) {
  const std::string model_input =
      absl::StrCat("the model's input \"", input.name, "\" is ", Name(input.type), input.shape.ToString());
  if (input.type != spec.type) {
    return absl::InvalidArgumentError(absl::StrCat("input.type is ", Name(spec.type), "; ", model_input));
  }
  // The batch is what the engine was asked to load for; the other dimensions are what model.yaml says.
  Shape wanted = InputShapeOf(spec, kDynamicDim);
  if (input.shape.rank() == wanted.rank()) wanted[0] = input.shape[0];
  if (!input.shape.Accepts(wanted)) {
    return absl::InvalidArgumentError(absl::StrCat("input.layout, width and height make ",
                                                   InputShapeOf(spec, kDynamicDim).ToString(), "; ",
                                                   model_input));
  }
  return absl::OkStatus();
}

// The positions in the signature of the outputs the decoder reads.
absl::StatusOr<std::vector<size_t>> FindOutputs(const DecoderSpec& spec, const ModelSignature& signature) {
  std::vector<size_t> order;
  for (const std::string& name : spec.outputs) {
    const auto at = std::find_if(signature.outputs.begin(), signature.outputs.end(),
                                 [&](const TensorSignature& output) { return output.name == name; });
    if (at == signature.outputs.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "decoder.outputs has \"", name, "\"; the model's outputs are ", NamesOf(signature.outputs)));
    }
    order.push_back(static_cast<size_t>(at - signature.outputs.begin()));
  }
  return order;
}

DecodeOptions DecodeOptionsFor(const PrepareOptions& options) {
  DecodeOptions decode;
  decode.limits = options.limits;
  decode.allow_partial = options.allow_partial;
  decode.deadline = options.deadline;
  return decode;
}

absl::Status CheckLabels(const ModelSpec& spec, int64_t classes) {
  if (spec.names.labels.empty() || classes == kDynamicDim) return absl::OkStatus();
  if (static_cast<int64_t>(spec.names.labels.size()) == classes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "labels has ", spec.names.labels.size(), " entries; the model has ", classes, " classes beside ",
      spec.decoder.background_classes, " of background (decoder.background_classes)"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Pipeline>> Pipeline::Create(ModelSpec spec, const ModelSignature& signature,
                                                           const Clock& clock) {
  WAYSTONE_ASSIGN_OR_RETURN(const TensorSignature input, FindInput(spec, signature));
  WAYSTONE_RETURN_IF_ERROR(CheckInput(spec.preprocess, input));
  spec.input = input.name;
  if (spec.decoder.outputs.empty()) {
    for (const TensorSignature& output : signature.outputs) spec.decoder.outputs.push_back(output.name);
  }
  std::unique_ptr<Pipeline> pipeline(new Pipeline(std::move(spec), clock));
  WAYSTONE_ASSIGN_OR_RETURN(pipeline->output_order_, FindOutputs(pipeline->spec_.decoder, signature));
  WAYSTONE_ASSIGN_OR_RETURN(pipeline->decoder_, MakeDecoder(pipeline->spec_));
  std::vector<TensorSignature> outputs;
  for (const size_t i : pipeline->output_order_) outputs.push_back(signature.outputs[i]);
  WAYSTONE_ASSIGN_OR_RETURN(const int64_t classes, pipeline->decoder_->CountClasses(outputs));
  WAYSTONE_RETURN_IF_ERROR(CheckLabels(pipeline->spec_, classes));
  WAYSTONE_ASSIGN_OR_RETURN(pipeline->preprocessor_, Preprocessor::Create(pipeline->spec_.preprocess));
  return pipeline;
}

Shape Pipeline::InputShape(int64_t batch) const { return InputShapeOf(spec_.preprocess, batch); }

absl::StatusOr<PreparedPicture> Pipeline::Prepare(std::string_view encoded, const PrepareOptions& options,
                                                  std::span<std::byte> row) const {
  const TimePoint begin = clock_.Now();
  DecodeOptions decode = DecodeOptionsFor(options);
  if (!options.keep_full_image) {
    WAYSTONE_ASSIGN_OR_RETURN(const PictureInfo info, ReadPictureInfo(encoded, options.limits));
    const Preprocessor::Size least = preprocessor_->LeastSourceSize(info.width, info.height);
    decode.min_width = least.width;
    decode.min_height = least.height;
  }
  WAYSTONE_ASSIGN_OR_RETURN(DecodedPicture decoded, DecodePicture(encoded, decode));
  const double decode_ms = MillisecondsBetween(begin, clock_.Now());
  WAYSTONE_ASSIGN_OR_RETURN(PreparedPicture prepared, FillRow(std::move(decoded.image), decoded.info.width,
                                                              decoded.info.height, options, row));
  prepared.times.decode_ms = decode_ms;
  return prepared;
}

absl::StatusOr<Image> Pipeline::Decode(std::string_view encoded, const PrepareOptions& options) const {
  WAYSTONE_ASSIGN_OR_RETURN(DecodedPicture decoded, DecodePicture(encoded, DecodeOptionsFor(options)));
  return std::move(decoded.image);
}

absl::StatusOr<PreparedPicture> Pipeline::PrepareImage(Image image, const PrepareOptions& options,
                                                       std::span<std::byte> row) const {
  const int width = image.width;
  const int height = image.height;
  const bool whole = width > 0 && height > 0 &&
                     image.pixels.size() / 3 / static_cast<size_t>(width) == static_cast<size_t>(height) &&
                     image.pixels.size() == 3 * static_cast<size_t>(width) * static_cast<size_t>(height);
  if (!whole) {
    return absl::InvalidArgumentError(absl::StrCat("a picture of ", width, "x", height, " cannot have ",
                                                   image.pixels.size(), " bytes of pixels"));
  }
  return FillRow(std::move(image), width, height, options, row);
}

absl::StatusOr<PreparedPicture> Pipeline::PrepareCrop(ImageView image, const TurnedRect& rect,
                                                      const PrepareOptions& options,
                                                      std::span<std::byte> row) const {
  const TimePoint begin = clock_.Now();
  PrepareOptions of_crop = options;
  of_crop.keep_full_image = false;
  const PreprocessSpec& input = spec_.preprocess;
  WAYSTONE_ASSIGN_OR_RETURN(Image crop, CropTurned(image, rect, input.width, input.height));
  WAYSTONE_ASSIGN_OR_RETURN(PreparedPicture prepared,
                            FillRow(std::move(crop), input.width, input.height, of_crop, row));
  prepared.times.preprocess_ms = MillisecondsBetween(begin, clock_.Now());
  return prepared;
}

absl::StatusOr<PreparedPicture> Pipeline::FillRow(Image image, int picture_width, int picture_height,
                                                  const PrepareOptions& options,
                                                  std::span<std::byte> row) const {
  const TimePoint begin = clock_.Now();
  if (options.deadline.HasPassed(begin))
    return absl::DeadlineExceededError("the deadline passed before preprocessing");
  PreparedPicture prepared;
  WAYSTONE_ASSIGN_OR_RETURN(prepared.geometry,
                            preprocessor_->Run(image.view(), picture_width, picture_height, row));
  prepared.times.preprocess_ms = MillisecondsBetween(begin, clock_.Now());
  if (options.keep_full_image) prepared.image = std::move(image);
  return prepared;
}

absl::StatusOr<Prediction> Pipeline::Interpret(std::span<const TensorView> outputs, int64_t row,
                                               const PreparedPicture& prepared,
                                               const ThresholdSpec& thresholds) const {
  const TimePoint begin = clock_.Now();
  std::vector<TensorView> wanted;
  for (const size_t i : output_order_) {
    if (i >= outputs.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the engine gave ", outputs.size(), " outputs; the decoder reads \"",
                       spec_.decoder.outputs[wanted.size()], "\", number ", i + 1));
    }
    wanted.push_back(outputs[i]);
  }
  WAYSTONE_ASSIGN_OR_RETURN(Answers answers, decoder_->Decode(wanted, row, prepared.geometry, thresholds));
  Prediction prediction;
  prediction.width = prepared.geometry.picture_width;
  prediction.height = prepared.geometry.picture_height;
  prediction.model = spec_.name;
  prediction.task = spec_.task;
  static_cast<Answers&>(prediction) = std::move(answers);
  prediction.times = prepared.times;
  prediction.times.postprocess_ms = MillisecondsBetween(begin, clock_.Now());
  return prediction;
}

}  // namespace waystone
