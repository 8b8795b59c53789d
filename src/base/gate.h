// SPDX-License-Identifier: Apache-2.0
//
// Counts work in flight so that a stop can refuse new work and await the old (after Seastar's gate).
// Thread-safe.
//   if (auto pass = gate.Enter()) { ... }   // the pass leaves the gate when destroyed
//   gate.Close(); gate.AwaitEmpty(deadline);
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"

#include "base/deadline.h"
#include "base/mutex.h"

namespace waystone {

class Gate {
 public:
  // Holds one place inside the gate; move-only.
  class Pass {
   public:
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass& operator=(Pass&& other) noexcept {
      if (this != &other) {
        Leave();
        gate_ = std::exchange(other.gate_, nullptr);
      }
      return *this;
    }
    ~Pass() { Leave(); }

   private:
    friend class Gate;
    explicit Pass(Gate* gate) : gate_(gate) {}
    void Leave();
    Gate* gate_;
  };

  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // Nothing once the gate is closed.
  std::optional<Pass> Enter() ABSL_LOCKS_EXCLUDED(mutex_);
  void Close() ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits until nobody is inside; false when `timeout` ended first. Call after Close().
  bool AwaitEmpty(Duration timeout) ABSL_LOCKS_EXCLUDED(mutex_);
  size_t inside() const ABSL_LOCKS_EXCLUDED(mutex_);
  bool closed() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable Mutex mutex_;
  CondVar left_;
  size_t inside_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace waystone
