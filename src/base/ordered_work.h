// SPDX-License-Identifier: Apache-2.0
//
// Runs many independent jobs on several threads and delivers their results in the order of the jobs. At most
// `window` jobs are started and not yet delivered, so memory stays flat however many jobs there are and
// however slow one of them is. Blocks until all is done; confined to the caller, which is also where
// `deliver` runs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "base/check.h"
#include "base/mutex.h"

namespace waystone {

template <typename Result>
class OrderedWork {
 public:
  // `work(job, worker)` runs on thread `worker` (0..workers-1) for each job in 0..jobs-1; `deliver(job,
  // result)` runs on the caller, in order. When `deliver` returns false no further job is started and those
  // running are awaited.
  template <typename Work, typename Deliver>
  static void Run(size_t jobs, size_t workers, size_t window, Work work, Deliver deliver) {
    WAYSTONE_CHECK(workers > 0 && window > 0, "ordered work needs a worker and room for a job");
    OrderedWork state(jobs, window);
    std::vector<std::thread> threads;
    for (size_t worker = 0; worker < workers; ++worker) {
      threads.emplace_back([&state, &work, worker] {
        while (std::optional<size_t> job = state.Take()) state.Done(*job, work(*job, worker));
      });
    }
    for (size_t job = 0; job < jobs; ++job) {
      if (!deliver(job, state.Await(job))) break;
    }
    state.Cancel();
    for (std::thread& thread : threads) thread.join();
  }

 private:
  OrderedWork(size_t jobs, size_t window) : jobs_(jobs), window_(window) {}

  bool CanTake() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return cancelled_ || next_ >= jobs_ || next_ < delivered_ + window_;
  }
  std::optional<size_t> Take() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    while (!CanTake()) room_.Wait(mutex_);
    if (cancelled_ || next_ >= jobs_) return std::nullopt;
    return next_++;
  }
  void Done(size_t job, Result result) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    results_.emplace(job, std::move(result));
    if (job == delivered_) ready_.NotifyOne();
  }
  Result Await(size_t job) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    WAYSTONE_CHECK(job == delivered_, "results are delivered in order");
    while (results_.count(job) == 0) ready_.Wait(mutex_);
    auto node = results_.extract(job);
    ++delivered_;
    room_.NotifyOne();
    return std::move(node.mapped());
  }
  void Cancel() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    cancelled_ = true;
    room_.NotifyAll();
  }

  const size_t jobs_;
  const size_t window_;
  Mutex mutex_;
  CondVar room_;   // for a worker to take a job
  CondVar ready_;  // the next result
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t delivered_ ABSL_GUARDED_BY(mutex_) = 0;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<size_t, Result> results_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace waystone
