// SPDX-License-Identifier: Apache-2.0
//
// Makes the answer of one request from the outputs of the runs that computed it: one run, whose outputs are
// handed on without a copy, or several for a request of more rows than a run takes, whose outputs are joined.
// The first failure is the whole request's answer, and tells the other parts that nobody waits for them any
// more. Thread-safe: parts end on different workers.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"

#include "base/mutex.h"
#include "serving/infer.h"
#include "serving/infer_job.h"
#include "serving/served_model.h"

namespace waystone {

class InferReply {
 public:
  InferReply(std::shared_ptr<const ServedModel> model, std::string id, int64_t rows,
             std::vector<PlannedOutput> outputs, size_t parts, InferCallback callback, const Clock& clock);

  // The outputs of part `index`, or why there are none.
  void Take(size_t index, const InferJob& job, absl::StatusOr<std::span<const TensorView>> outputs);
  // A part will not be run.
  void Fail(absl::Status status);
  // The request has been answered with a failure.
  bool failed() const { return failed_.load(); }

 private:
  absl::StatusOr<InferResponse> Make(std::span<const TensorView> outputs) const;
  absl::Status Keep(size_t index, std::span<const TensorView> outputs) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<InferResponse> Join() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Answer(absl::StatusOr<InferResponse> response, Duration queued);

  const std::shared_ptr<const ServedModel> model_;
  const std::string id_;
  const int64_t rows_;
  const std::vector<PlannedOutput> outputs_;
  const InferCallback callback_;
  const Clock& clock_;
  const TimePoint begin_;
  const size_t parts_;
  std::atomic<bool> failed_{false};
  Mutex mutex_;
  size_t missing_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::vector<Tensor>> kept_ ABSL_GUARDED_BY(mutex_);  // of each part, where there are several
};

}  // namespace waystone
