// SPDX-License-Identifier: Apache-2.0
//
// Pictures to the models being served: the same scheduler and workers as tensors, so both obey one policy. A
// request that cannot be taken is refused at once with a reason (types/refusal.h).
//
// Thread-safe. A callback runs on a worker thread, or on the thread of a call that made its refusal certain;
// exactly once for every accepted request.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"

#include "base/clock.h"
#include "base/deadline.h"
#include "serving/picture_model.h"
#include "serving/serving_core.h"
#include "types/camera.h"

namespace waystone {

struct PictureRequest {
  std::string model;
  std::string source;                              // what the answer calls the picture
  std::variant<std::string, Image, Tensor> input;  // encoded picture, pixels, or a raw tensor
  bool want_image = false;                         // keep the picture, to draw on it
  Deadline deadline = Deadline::Never();           // Never: the core's default timeout counts from Submit
  std::string stream;                              // newest frame wins; empty: none
  std::function<bool()> cancelled;                 // may be empty
  std::optional<CameraIntrinsics> camera;          // gives boxes in space a pose
};

struct PictureResult {
  PictureAnswer answer;            // for pictures
  std::vector<RawOutput> outputs;  // for raw tensors
  double queue_ms = 0;
};

using PictureCallback = std::function<void(absl::StatusOr<PictureResult>)>;

class PictureService {
 public:
  // Serves the picture models that `core` has now. `core` outlives it.
  PictureService(ServingCore& core, PictureLimits limits);

  // OK: `callback` will be called. Otherwise it will not: NotFound for an unknown model, InvalidArgument for
  // an empty input, OutOfRange for an oversized one, or a refusal.
  absl::Status Submit(PictureRequest request, PictureCallback callback);
  // The models it serves, by name.
  const std::map<std::string, std::shared_ptr<const PictureModel>>& models() const { return models_; }
  const PictureLimits& limits() const { return limits_; }
  bool draining() const { return core_.draining(); }

 private:
  struct Work;

  absl::Status Answer(Work& work, PictureSeat& seat, TimePoint taken) const;
  absl::StatusOr<PictureResult> Compute(Work& work, PictureSeat& seat) const;

  ServingCore& core_;
  const PictureLimits limits_;
  std::map<std::string, std::shared_ptr<const PictureModel>> models_;
};

}  // namespace waystone
