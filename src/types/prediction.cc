// SPDX-License-Identifier: Apache-2.0
#include "types/prediction.h"

namespace waystone {

const char* Name(Task task) {
  switch (task) {
    case Task::kClassify:
      return "classify";
    case Task::kDetect:
      return "detect";
    case Task::kLandmarks:
      return "landmarks";
    case Task::kSegment:
      return "segment";
    case Task::kEmbed:
      return "embed";
    case Task::kBox3d:
      return "box3d";
    case Task::kFeatures:
      return "features";
    case Task::kMatch:
      return "match";
  }
  return "unknown";
}

std::string AnswerNames::Label(int class_id) const {
  const size_t index = static_cast<size_t>(class_id);
  return class_id >= 0 && index < labels.size() ? labels[index] : std::to_string(class_id);
}

}  // namespace waystone
