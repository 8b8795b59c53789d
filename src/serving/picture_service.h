// SPDX-License-Identifier: Apache-2.0
//
// Answers pictures on a fixed set of worker threads behind a queue bounded in requests and bytes. What cannot
// be taken is refused at once with a reason (refusal.h), never queued to die: full queue, passed deadline,
// client gone, draining. The first form of the serving core: the scheduler takes this place behind the same
// calls.
//
// Threads: every method may be called from any thread. A callback runs on a worker thread, exactly once for
// every accepted request.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "absl/status/status.h"

#include "base/bounded_queue.h"
#include "base/clock.h"
#include "base/deadline.h"
#include "base/gate.h"
#include "metrics/registry.h"
#include "serving/picture_model.h"
#include "types/refusal.h"
#include "types/camera.h"

namespace waystone {

struct PictureServiceOptions {
  int workers = 1;
  size_t queue_capacity = 64;                   // requests waiting
  size_t max_queued_bytes = size_t{256} << 20;  // of their pictures
  Duration default_timeout = std::chrono::seconds(10);
  PictureLimits limits;
};

struct PictureRequest {
  std::string model;
  std::string source;                              // what the answer calls the picture
  std::variant<std::string, Image, Tensor> input;  // encoded picture, pixels, or a raw tensor
  bool want_image = false;                         // keep the picture, to draw on it
  Deadline deadline = Deadline::Never();           // Never: the service's default timeout counts from Submit
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
  // A seat for each worker on each model is made now, so the first request is as fast as the others.
  static absl::StatusOr<std::unique_ptr<PictureService>> Create(
      std::vector<std::shared_ptr<const PictureModel>> models, PictureServiceOptions options,
      MetricRegistry& metrics, const Clock& clock);
  ~PictureService();

  // OK: `callback` will be called. Otherwise it will not: NotFound for an unknown model, InvalidArgument for
  // an empty or oversized input, or a refusal.
  absl::Status Submit(PictureRequest request, PictureCallback callback);
  // The models it serves, by name.
  const std::map<std::string, std::shared_ptr<const PictureModel>>& models() const { return models_; }
  bool draining() const { return gate_.closed(); }
  // True once Stop has given up waiting: accepted work that has not begun is answered "draining".
  bool cutting_off() const { return cut_off_.load(); }
  // Refuses new work, waits up to `timeout` for accepted work, then answers the rest with "draining" and
  // joins the workers. True when nothing was cut off. Idempotent.
  bool Stop(Duration timeout);

 private:
  struct Work;
  struct Counters;
  using Seats = std::map<std::string, std::unique_ptr<PictureSeat>>;

  PictureService(std::vector<std::shared_ptr<const PictureModel>> models, PictureServiceOptions options,
                 MetricRegistry& metrics, const Clock& clock);
  void RunWorker(Seats seats);
  absl::StatusOr<PictureResult> Answer(Work& work, Seats& seats);
  absl::Status Refused(RefusalReason reason, absl::string_view message);

  const PictureServiceOptions options_;
  const Clock& clock_;
  std::map<std::string, std::shared_ptr<const PictureModel>> models_;
  std::unique_ptr<Counters> counters_;
  Gate gate_;
  std::atomic<size_t> queued_bytes_{0};
  std::atomic<bool> cut_off_{false};
  BoundedQueue<std::unique_ptr<Work>> queue_;
  std::vector<std::thread> workers_;
};

}  // namespace waystone
