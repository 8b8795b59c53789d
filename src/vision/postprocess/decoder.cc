// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/decoder.h"

#include "absl/status/status.h"

#include "vision/postprocess/classification.h"
#include "vision/postprocess/nanodet.h"
#include "vision/postprocess/ssd.h"
#include "vision/postprocess/yolox.h"

namespace waystone {

absl::StatusOr<std::unique_ptr<Decoder>> MakeDecoder(const ModelSpec& spec) {
  const bool classifies = spec.decoder.kind == DecoderKind::kClassification;
  if (classifies != (spec.task == Task::kClassify)) {
    return absl::InvalidArgumentError(
        "decoder.type classification goes with task classify, the others with detect");
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
  }
  return absl::InvalidArgumentError("decoder.type is not known");
}

}  // namespace waystone
