// SPDX-License-Identifier: Apache-2.0
//
// Decides what runs when on the cores of this machine: admission, order, batches, and whether a run gets one
// core or all. Policy only: it has no threads and no sockets; workers ask it for batches (worker_pool.h) and
// tell it how long they took, tests do the same on a FakeClock.
//
// Rules:
// - A job is refused at once, with a reason, when its queue is full or when by what is known of the model's
//   speed it, or an accepted job that would then go after it, would be late. It is never queued to die.
// - Order within a model: job_queue.h. Between models: the one that has taken least of the machine for its
//   weight.
// - What is known of a model's speed is doubted when nothing has run for a second: a job that would be late
//   by it is then run all the same, on an idle machine, and tells how long runs take now.
// - Deadline and cancellation are looked at on admission, when a job is taken, and (by Sweep) while it waits.
// - Batches: batch_policy.h.
// - Threads by load: where a model has an instance on all cores, a lone job runs on it; as soon as jobs come
//   faster than that, each runs on a core of its own.
//
// Thread-safe. Refusals are told without the lock held, on the thread of the call that caused them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"

#include "base/clock.h"
#include "base/mutex.h"
#include "metrics/registry.h"
#include "scheduler/batch_policy.h"
#include "scheduler/cost_model.h"
#include "scheduler/job.h"
#include "scheduler/job_queue.h"
#include "types/refusal.h"

namespace waystone {

struct Batch;

// Runs the batches of one model. `worker` is below SchedulerOptions::cores and has one batch at a time, so
// what belongs to it needs no lock.
class BatchRunner {
 public:
  virtual ~BatchRunner() = default;
  // Answers every job of the batch. False where the time it took says nothing of the model: the run failed,
  // or was not done.
  virtual bool Run(Batch& batch, int worker) = 0;
};

struct SchedulerOptions {
  int cores = 1;                                 // runs at once
  std::map<std::string, double> tenant_weights;  // others weigh 1
};

struct ModelPolicy {
  std::string name;  // of the metrics' labels
  double weight = 1;
  int max_running = 0;  // batches at once; 0: as many as cores
  bool wide = false;    // has an instance on all cores
  BatchSizes sizes = {};
  JobQueueLimits limits = {};
};

using ModelId = uint64_t;

// Jobs that were given to a worker.
struct Batch {
  ModelId model = 0;
  std::shared_ptr<BatchRunner> runner;
  std::vector<std::unique_ptr<Job>> jobs;
  int64_t rows = 0;
  int64_t run_rows = 0;  // with padding
  uint64_t shape = 0;
  bool wide = false;  // on all cores
  TimePoint taken;
  uint64_t number = 0;
};

class Scheduler {
 public:
  Scheduler(SchedulerOptions options, MetricRegistry& metrics, const Clock& clock);
  ~Scheduler();

  ModelId AddModel(ModelPolicy policy, std::shared_ptr<BatchRunner> runner);
  // Takes no more jobs for the model and refuses those that wait with `reason`. Those that run end as they
  // would.
  void RemoveModel(ModelId model, const absl::Status& reason);
  // Seeds the cost model with a run outside the scheduler (warm-up).
  void Learn(ModelId model, uint64_t shape, bool wide, int64_t rows, Duration took);

  // OK: the job will be run or refused later. Otherwise it is given back untold in `job`, and the status is a
  // refusal (types/refusal.h).
  absl::Status Submit(ModelId model, std::unique_ptr<Job>& job);
  // Waits for a batch; nothing once Close() was called and nothing waits any more.
  std::optional<Batch> Take();
  // The same without waiting.
  std::optional<Batch> TryTake();
  // Every batch that was taken comes back here. `took`, the time it held its worker, teaches the cost model;
  // nothing where it is not typical.
  void Finish(const Batch& batch, std::optional<Duration> took);

  // Refuses jobs whose deadline has passed or whose client has gone.
  void Sweep();
  // No new jobs; what waits is still run.
  void Close();
  // Waits until nothing waits and nothing runs; false when `timeout` ended first. After Close().
  bool AwaitIdle(Duration timeout);
  // Refuses all that waits with `reason`.
  void RefuseWaiting(const absl::Status& reason);

  struct ModelView {
    std::string name;
    size_t waiting = 0;
    int running = 0;
    Duration backlog{};
    std::map<uint64_t, CostModel::Line> narrow;  // by shape
    std::map<uint64_t, CostModel::Line> wide;
  };
  std::vector<ModelView> View() const;

 private:
  struct ModelState;
  struct Running;
  struct Refusal {
    std::unique_ptr<Job> job;
    absl::Status reason;
  };
  using Refusals = std::vector<Refusal>;

  absl::Status Admit(ModelState& model, std::unique_ptr<Job>& job, Refusals& refusals)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckInTime(ModelState& model, const JobTerms& terms, TimePoint now) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Duration WaitFor(const ModelState& model, JobQueue::Work ahead, Duration own, TimePoint now) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<Batch> Form(Refusals& refusals) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  ModelState* NextModel() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool DropHopeless(ModelState& model, bool wide, TimePoint now, Refusals& refusals)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool GoesWide(const ModelState& model, const JobTerms& terms) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Batch Fill(ModelState& model, bool wide, TimePoint now, Refusals& refusals)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Why nobody would have anything of the job's answer; OK where somebody would.
  static absl::Status NoLongerOfUse(const Job& job, TimePoint now);
  // Of a job that was taken out of its queue.
  void Drop(const ModelState& model, std::unique_ptr<Job> job, absl::Status reason, Refusals& refusals)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropAll(ModelState& model, const absl::Status& reason, Refusals& refusals)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Expire(TimePoint now, bool ask_clients, Refusals& refusals) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Note(const ModelState& model) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void Tell(Refusals refusals);
  absl::Status Count(const ModelState& model, absl::Status refusal) const;

  const SchedulerOptions options_;
  MetricRegistry& metrics_;
  const Clock& clock_;
  mutable Mutex mutex_;
  CondVar changed_;
  CondVar idle_;
  std::map<ModelId, std::unique_ptr<ModelState>> models_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, Running> running_ ABSL_GUARDED_BY(mutex_);  // by batch number
  int free_cores_ ABSL_GUARDED_BY(mutex_);
  size_t waiting_ ABSL_GUARDED_BY(mutex_) = 0;  // jobs
  size_t in_run_ ABSL_GUARDED_BY(mutex_) = 0;   // jobs
  // Running mean of the jobs in the system, waiting or running, as each batch is taken.
  double load_ ABSL_GUARDED_BY(mutex_) = 1;
  Deadline next_expiry_ ABSL_GUARDED_BY(mutex_) = Deadline::Never();
  uint64_t next_number_ ABSL_GUARDED_BY(mutex_) = 1;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace waystone
