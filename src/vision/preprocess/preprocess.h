// SPDX-License-Identifier: Apache-2.0
//
// RGB picture to one row of the network's input in one fused pass: crop or letterbox, resize, colour order,
// normalise, element type, layout. SIMD through Highway, chosen at run time. Pixels are whole levels after
// resizing, as in the pipelines that models are trained and measured with: bilinear gives OpenCV's
// INTER_LINEAR bit for bit (sources up to 4096 pixels a side), area the mean over the covered source area on
// each axis, shrinking or enlarging, halves up. Both agree with reference.h within 1 level of 8 bits before
// normalising. Grey is the mean of the three normalised channels. Thread-safe: a Preprocessor may be shared;
// scratch memory belongs to the calling thread and is bounded by the width of the picture and of the input.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "absl/status/statusor.h"

#include "types/image.h"
#include "types/model_spec.h"
#include "types/prediction.h"

namespace waystone {

class Preprocessor {
 public:
  // InvalidArgument when the spec is impossible (a size outside 1..8192, std of zero, a type that is not
  // served).
  static absl::StatusOr<std::unique_ptr<Preprocessor>> Create(const PreprocessSpec& spec);
  virtual ~Preprocessor() = default;

  // Bytes of one row.
  virtual size_t row_bytes() const = 0;

  // Fills `row` (exactly row_bytes(), aligned to its elements) from `image`. `picture_width` and
  // `picture_height` are those of the full-size picture that `image` may be a scaled decode of; the geometry
  // returned is relative to the full size. InvalidArgument, and nothing written, when the image has no
  // pixels, is larger than the picture or has a side beyond 2^20 pixels, or when the row does not fit.
  virtual absl::StatusOr<InputGeometry> Run(ImageView image, int picture_width, int picture_height,
                                            std::span<std::byte> row) const = 0;

  // The least size a decoder may deliver for a picture of this full size: twice what it is resized to here,
  // or all of it. So a decoder reduces only pictures at least four times too large, and none is enlarged here
  // again; smaller ones are decoded in full, as by the pipelines that models are measured with.
  struct Size {
    int width = 0;
    int height = 0;
  };
  virtual Size LeastSourceSize(int picture_width, int picture_height) const = 0;
};

}  // namespace waystone
