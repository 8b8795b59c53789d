// SPDX-License-Identifier: Apache-2.0
#include "serving/inference_service.h"

namespace waystone {

const char* Name(ModelState state) {
  switch (state) {
    case ModelState::kReady:
      return "READY";
    case ModelState::kUnavailable:
      return "UNAVAILABLE";
    case ModelState::kLoading:
      return "LOADING";
    case ModelState::kUnloading:
      return "UNLOADING";
    case ModelState::kUnknown:
      break;
  }
  return "UNKNOWN";
}

}  // namespace waystone
