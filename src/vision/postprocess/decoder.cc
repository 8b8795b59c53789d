// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/decoder.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/postprocess/blaze.h"
#include "vision/postprocess/box3d.h"
#include "vision/postprocess/classification.h"
#include "vision/postprocess/embedding.h"
#include "vision/postprocess/fastestdet.h"
#include "vision/postprocess/landmarks.h"
#include "vision/postprocess/nanodet.h"
#include "vision/postprocess/segmentation.h"
#include "vision/postprocess/ssd.h"
#include "vision/postprocess/ultraface.h"
#include "vision/postprocess/xfeat.h"
#include "vision/postprocess/yolox.h"
#include "vision/postprocess/yunet.h"

namespace waystone {

Task TaskOf(DecoderKind kind) {
  switch (kind) {
    case DecoderKind::kClassification:
      return Task::kClassify;
    case DecoderKind::kLandmarks:
      return Task::kLandmarks;
    case DecoderKind::kSegmentation:
      return Task::kSegment;
    case DecoderKind::kEmbedding:
      return Task::kEmbed;
    case DecoderKind::kBox3d:
      return Task::kBox3d;
    case DecoderKind::kXfeat:
      return Task::kFeatures;
    case DecoderKind::kMatcher:
      return Task::kMatch;
    case DecoderKind::kYolox:
    case DecoderKind::kNanodet:
    case DecoderKind::kSsd:
    case DecoderKind::kFastestDet:
    case DecoderKind::kUltraFace:
    case DecoderKind::kYunet:
    case DecoderKind::kBlaze:
      break;
  }
  return Task::kDetect;
}

absl::StatusOr<std::unique_ptr<Decoder>> MakeDecoder(const ModelSpec& spec) {
  if (const Task task = TaskOf(spec.decoder.kind); task != spec.task) {
    return absl::InvalidArgumentError(
        absl::StrCat("this decoder.type goes with task ", Name(task), ", not ", Name(spec.task)));
  }
  switch (spec.decoder.kind) {
    case DecoderKind::kClassification:
      return MakeClassificationDecoder(spec);
    case DecoderKind::kYolox:
      return MakeYoloxDecoder(spec);
    case DecoderKind::kNanodet:
      return MakeNanodetDecoder(spec);
    case DecoderKind::kSsd:
      return MakeSsdDecoder(spec);
    case DecoderKind::kFastestDet:
      return MakeFastestDetDecoder(spec);
    case DecoderKind::kUltraFace:
      return MakeUltraFaceDecoder(spec);
    case DecoderKind::kYunet:
      return MakeYunetDecoder(spec);
    case DecoderKind::kBlaze:
      return MakeBlazeDecoder(spec);
    case DecoderKind::kLandmarks:
      return MakeLandmarksDecoder(spec);
    case DecoderKind::kSegmentation:
      return MakeSegmentationDecoder(spec);
    case DecoderKind::kEmbedding:
      return MakeEmbeddingDecoder(spec);
    case DecoderKind::kBox3d:
      return MakeBox3dDecoder(spec);
    case DecoderKind::kXfeat:
      return MakeXfeatDecoder(spec);
    case DecoderKind::kMatcher:
      break;
  }
  return absl::InvalidArgumentError(
      "a matcher reads the features of two pictures; it has no decoder of its own");
}

}  // namespace waystone
