// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/draw.h"

#include "base/status.h"
#include "vision/draw/draw_style.h"
#include "vision/draw/drawing.h"
#include "vision/draw/text.h"

namespace waystone {
namespace {

class FreeTypeAnnotator final : public Annotator {
 public:
  void Draw(const Prediction& prediction, const AnswerNames& names, Image& image) const override {
    if (image.width < 1 || image.height < 1) return;
    Drawing drawing(prediction, names, image);
    switch (prediction.task) {
      case Task::kClassify:
        return DrawClasses(drawing);
      case Task::kDetect:
        return DrawDetections(drawing);
      case Task::kLandmarks:
        return DrawLandmarks(drawing);
      case Task::kSegment:
        return DrawSegments(drawing);
      case Task::kEmbed:
        return DrawEmbeddings(drawing);
      case Task::kBox3d:
        return DrawBoxes3d(drawing);
      case Task::kFeatures:
        return DrawFeatures(drawing);
      case Task::kMatch:
        return;  // is about two pictures; see matches.h
    }
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<Annotator>> Annotator::Create() {
  // Each drawing makes its own renderer; that the font can be read is found out here, once.
  WAYSTONE_RETURN_IF_ERROR(TextRenderer::Create(DrawStyle::kLeastFontSize).status());
  return std::make_unique<FreeTypeAnnotator>();
}

}  // namespace waystone
