// SPDX-License-Identifier: Apache-2.0
//
// A picture-in, answers-out task built from a ModelSpec, without the engine: Prepare() fills a row of the
// input tensor, Interpret() reads a row of the outputs. What runs the network between the two is the caller's
// matter, so one pipeline serves single runs, batches and tests alike. Immutable and thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"

#include "base/clock.h"
#include "base/deadline.h"
#include "types/camera.h"
#include "types/image.h"
#include "types/model_signature.h"
#include "types/model_spec.h"
#include "types/picture_limits.h"
#include "types/prediction.h"
#include "types/tensor.h"
#include "vision/postprocess/decoder.h"
#include "vision/preprocess/preprocess.h"
#include "vision/preprocess/turned_crop.h"

namespace waystone {

// A picture on its way through: what Prepare() leaves for Interpret().
struct PreparedPicture {
  InputGeometry geometry;
  StageTimes times;  // decode_ms and preprocess_ms
  Image image;       // kept at full size only when asked for
};

struct PrepareOptions {
  PictureLimits limits;
  bool keep_full_image = false;  // decode at full size and keep the picture (to draw on it)
  bool allow_partial = false;
  Deadline deadline = Deadline::Never();
  std::optional<CameraIntrinsics> camera;  // of the full-size picture; gives boxes in space a pose
};

class Pipeline {
 public:
  // Checks the spec against what the engine says of the model: names, types, layout, sizes. InvalidArgument
  // says which field of model.yaml does not fit.
  static absl::StatusOr<std::unique_ptr<Pipeline>> Create(ModelSpec spec, const ModelSignature& signature,
                                                          const Clock& clock);

  const ModelSpec& spec() const { return spec_; }
  // The shape of an input tensor for `batch` pictures.
  Shape InputShape(int64_t batch) const;
  size_t row_bytes() const { return preprocessor_->row_bytes(); }

  // Decodes `encoded` at full size.
  absl::StatusOr<Image> Decode(std::string_view encoded, const PrepareOptions& options) const;
  // Decodes `encoded` and fills `row`.
  absl::StatusOr<PreparedPicture> Prepare(std::string_view encoded, const PrepareOptions& options,
                                          std::span<std::byte> row) const;
  // The same for pixels in memory: `image` is the full-size picture and is kept only when asked for.
  absl::StatusOr<PreparedPicture> PrepareImage(Image image, const PrepareOptions& options,
                                               std::span<std::byte> row) const;
  // The same for a turned part of a picture, which is then the picture: answers are in pixels of the input.
  absl::StatusOr<PreparedPicture> PrepareCrop(ImageView image, const TurnedRect& rect,
                                              const PrepareOptions& options, std::span<std::byte> row) const;
  // Reads row `row` of `outputs` (in the order of the model's signature).
  absl::StatusOr<Prediction> Interpret(std::span<const TensorView> outputs, int64_t row,
                                       const PreparedPicture& prepared,
                                       const ThresholdSpec& thresholds) const;

 private:
  Pipeline(ModelSpec spec, const Clock& clock) : spec_(std::move(spec)), clock_(clock) {}
  // `image` may be a scaled decode of a picture of the given full size.
  absl::StatusOr<PreparedPicture> FillRow(Image image, int picture_width, int picture_height,
                                          const PrepareOptions& options, std::span<std::byte> row) const;

  ModelSpec spec_;
  const Clock& clock_;
  std::unique_ptr<Preprocessor> preprocessor_;
  std::unique_ptr<Decoder> decoder_;
  std::vector<size_t> output_order_;  // position in the signature of each output the decoder wants
};

}  // namespace waystone
