// SPDX-License-Identifier: Apache-2.0
//
// Answers drawn over a picture: boxes with labels, or a list of classes. Line widths and letters grow with
// the picture, labels stay inside it, and each class keeps one colour. Text is UTF-8; the font is embedded
// (DejaVu Sans Bold). Thread-safe: an Annotator may be shared.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "types/image.h"
#include "types/prediction.h"

namespace waystone {

class Annotator {
 public:
  static absl::StatusOr<std::unique_ptr<Annotator>> Create();
  virtual ~Annotator() = default;

  // Draws `prediction` on `image`, which may be smaller than the picture the boxes are in.
  virtual void Draw(const Prediction& prediction, const AnswerNames& names, Image& image) const = 0;
};

}  // namespace waystone
