// SPDX-License-Identifier: Apache-2.0
#include "scheduler/worker_pool.h"

#include <optional>

namespace waystone {
namespace {

constexpr Duration kSweepInterval = std::chrono::milliseconds(10);

}  // namespace

WorkerPool::WorkerPool(Scheduler& scheduler, int workers, const Clock& clock)
    : scheduler_(scheduler), clock_(clock) {
  for (int worker = 0; worker < workers; ++worker) workers_.emplace_back([this, worker] { Work(worker); });
  sweeper_ = std::thread([this] { SweepUntilStopped(); });
}

void WorkerPool::Work(int worker) {
  while (std::optional<Batch> batch = scheduler_.Take()) {
    const TimePoint begin = clock_.Now();
    const bool typical = batch->runner->Run(*batch, worker);
    const Duration took = clock_.Now() - begin;
    scheduler_.Finish(*batch, typical ? std::optional(took) : std::nullopt);
  }
}

void WorkerPool::SweepUntilStopped() {
  MutexLock lock(mutex_);
  while (!stopped_) {
    stopping_.WaitUntil(mutex_, std::chrono::steady_clock::now() + kSweepInterval);
    mutex_.Unlock();
    scheduler_.Sweep();
    mutex_.Lock();
  }
}

void WorkerPool::Stop() {
  scheduler_.Close();
  for (std::thread& worker : workers_) {
    if (worker.joinable()) worker.join();
  }
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    stopping_.NotifyAll();
  }
  if (sweeper_.joinable()) sweeper_.join();
}

}  // namespace waystone
