// SPDX-License-Identifier: Apache-2.0
//
// The open calls of one kind that end only when their client or a stop ends them, up to a limit. Thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "base/mutex.h"

namespace waystone {

template <typename Call>
class CallRegistry {
 public:
  explicit CallRegistry(size_t limit) : limit_(limit) {}

  size_t limit() const { return limit_; }
  // False, and nothing added, at the limit.
  bool Add(std::shared_ptr<Call> call) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    if (calls_.size() >= limit_) return false;
    calls_.push_back(std::move(call));
    return true;
  }
  void Remove(const Call* call) ABSL_LOCKS_EXCLUDED(mutex_) {
    std::shared_ptr<Call> removed;  // destroyed after the lock
    MutexLock lock(mutex_);
    const auto found =
        std::find_if(calls_.begin(), calls_.end(), [call](const auto& one) { return one.get() == call; });
    if (found == calls_.end()) return;
    removed = std::move(*found);
    calls_.erase(found);
  }
  std::vector<std::shared_ptr<Call>> All() const ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    return calls_;
  }
  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    return calls_.size();
  }

 private:
  const size_t limit_;
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<Call>> calls_ ABSL_GUARDED_BY(mutex_);
};

// A call that is refused before it begins: gRPC wants a reactor to say so. Deletes itself.
template <typename Reactor>
class EndedCall final : public Reactor {
 public:
  template <typename Status>
  explicit EndedCall(Status status) {
    this->Finish(std::move(status));
  }
  void OnDone() override { delete this; }
};

}  // namespace waystone
