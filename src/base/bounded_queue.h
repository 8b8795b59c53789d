// SPDX-License-Identifier: Apache-2.0
//
// A queue between threads that is never longer than its capacity: a push into a full one is refused and gives
// the item back, so that nothing waits to die and memory stays bounded. Thread-safe. Close() refuses later
// pushes; what was accepted can still be popped, then Pop() returns nothing.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"

#include "base/check.h"
#include "base/mutex.h"

namespace waystone {

template <typename T>
class BoundedQueue {
 public:
  // The outcome of a push. `rejected` holds the item again unless `accepted`.
  struct PushResult {
    bool accepted = false;
    bool closed = false;
    std::optional<T> rejected;
  };

  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {
    WAYSTONE_CHECK(capacity > 0, "a queue without room is never of use");
  }
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  // Never waits.
  PushResult TryPush(T item) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    if (closed_ || items_.size() >= capacity_) return {false, closed_, std::move(item)};
    items_.push_back(std::move(item));
    pushed_.NotifyOne();
    return {true, false, std::nullopt};
  }

  // Waits until there is room; refused only when closed.
  PushResult Push(T item) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    while (!closed_ && items_.size() >= capacity_) popped_.Wait(mutex_);
    if (closed_) return {false, true, std::move(item)};
    items_.push_back(std::move(item));
    pushed_.NotifyOne();
    return {true, false, std::nullopt};
  }

  // Waits for an item; nothing when the queue is closed and empty.
  std::optional<T> Pop() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    while (!closed_ && items_.empty()) pushed_.Wait(mutex_);
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    popped_.NotifyOne();
    return item;
  }

  void Close() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    closed_ = true;
    pushed_.NotifyAll();
    popped_.NotifyAll();
  }

  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    return items_.size();
  }
  size_t capacity() const { return capacity_; }

 private:
  const size_t capacity_;
  mutable Mutex mutex_;
  CondVar pushed_;
  CondVar popped_;
  std::deque<T> items_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace waystone
