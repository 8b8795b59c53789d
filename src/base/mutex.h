// SPDX-License-Identifier: Apache-2.0
//
// A mutex that clang's thread safety analysis knows, a condition variable and a one-shot notification, over
// the standard library's: those ThreadSanitizer understands, which a mutex in a library built without it is
// not.
//   MutexLock lock(mutex_);
//   while (items_.empty()) changed_.Wait(mutex_);
#pragma once

#include <condition_variable>
#include <mutex>

#include "absl/base/thread_annotations.h"

#include "base/clock.h"

namespace waystone {

class ABSL_LOCKABLE Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds the mutex while it lives.
class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) { mutex_.Lock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_.Unlock(); }

 private:
  Mutex& mutex_;
};

// Wakes may be spurious: wait in a loop that looks at the condition. Those who change the condition notify.
class CondVar {
 public:
  void Wait(Mutex& mutex) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // False when `until`, of the steady clock, has passed.
  bool WaitUntil(Mutex& mutex, TimePoint until) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool in_time = condition_.wait_until(lock, until) == std::cv_status::no_timeout;
    lock.release();
    return in_time;
  }
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

// Something that happens once. What was written before Notify() is seen by those who wait for it.
class Notification {
 public:
  void Notify() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    notified_ = true;
    changed_.NotifyAll();  // under the lock: a waiter may destroy this object as soon as it sees the flag
  }
  bool HasBeenNotified() const ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    return notified_;
  }
  void WaitForNotification() const ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    while (!notified_) changed_.Wait(mutex_);
  }

 private:
  mutable Mutex mutex_;
  mutable CondVar changed_;
  bool notified_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace waystone
