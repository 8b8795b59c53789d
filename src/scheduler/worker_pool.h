// SPDX-License-Identifier: Apache-2.0
//
// The threads that run what the scheduler decides: one a core, so that the machine is never oversubscribed,
// and a sweeper that tells waiting jobs when their time is over while all workers are busy. Confined to the
// thread that makes and stops it.
#pragma once

#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "base/clock.h"
#include "base/mutex.h"
#include "scheduler/scheduler.h"

namespace waystone {

class WorkerPool {
 public:
  // `scheduler` and `clock` outlive the pool; `workers` is the number of its cores.
  WorkerPool(Scheduler& scheduler, int workers, const Clock& clock);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool() { Stop(); }

  // Closes the scheduler, runs what waits and joins. Idempotent.
  void Stop();

 private:
  void Work(int worker);
  void SweepUntilStopped();

  Scheduler& scheduler_;
  const Clock& clock_;
  std::vector<std::thread> workers_;
  Mutex mutex_;
  CondVar stopping_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread sweeper_;
};

}  // namespace waystone
