// SPDX-License-Identifier: Apache-2.0
//
// How much work the gRPC server has accepted and not yet answered: a number of requests and the bytes they
// hold in memory, each with a limit. What is over a limit is refused at once, with a reason, before it is
// parsed; so is everything before the server starts and once it stops. Thread-safe. A pass keeps its
// admission alive: it may outlive the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"

#include "base/clock.h"
#include "base/mutex.h"

namespace waystone {

class Admission : public std::enable_shared_from_this<Admission> {
 public:
  // One admitted request; leaves when destroyed. Move-only.
  class Pass {
   public:
    Pass() = default;
    Pass(Pass&& other) noexcept = default;
    Pass& operator=(Pass&& other) noexcept {
      if (this != &other) {
        Leave();
        admission_ = std::move(other.admission_);
        bytes_ = other.bytes_;
      }
      return *this;
    }
    ~Pass() { Leave(); }

   private:
    friend class Admission;
    Pass(std::shared_ptr<Admission> admission, uint64_t bytes)
        : admission_(std::move(admission)), bytes_(bytes) {}
    void Leave();
    std::shared_ptr<Admission> admission_;
    uint64_t bytes_ = 0;
  };

  struct Counts {
    uint64_t accepted = 0;
    uint64_t refused = 0;
    size_t inside = 0;
    uint64_t bytes = 0;
  };

  Admission(size_t max_requests, uint64_t max_bytes) : max_requests_(max_requests), max_bytes_(max_bytes) {}

  // Refused: not_ready before Open(), draining after Close(), queue_full over a limit.
  absl::StatusOr<Pass> Enter(uint64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  void Open() ABSL_LOCKS_EXCLUDED(mutex_);
  void Close() ABSL_LOCKS_EXCLUDED(mutex_);
  bool open() const ABSL_LOCKS_EXCLUDED(mutex_);
  bool closed() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits until nobody is inside; false when `timeout` ended first. Call after Close().
  bool AwaitEmpty(Duration timeout) ABSL_LOCKS_EXCLUDED(mutex_);
  Counts counts() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  enum class State { kNew, kOpen, kClosed };

  void Leave(uint64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);

  const size_t max_requests_;
  const uint64_t max_bytes_;
  mutable Mutex mutex_;
  CondVar left_;
  State state_ ABSL_GUARDED_BY(mutex_) = State::kNew;
  Counts counts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace waystone
