// SPDX-License-Identifier: Apache-2.0
//
// What the scheduler takes in, and what it refuses at once.
#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "scheduler/model_state.h"
#include "scheduler/scheduler.h"

namespace waystone {
namespace {

constexpr size_t kMostCounted = 64;  // jobs
constexpr Duration kLeastRetry = std::chrono::milliseconds(1);

double Milliseconds(Duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

}  // namespace

absl::Status Scheduler::Submit(ModelId model, std::unique_ptr<Job>& job) {
  Refusals refusals;
  absl::Status status;
  {
    MutexLock lock(mutex_);
    const auto found = models_.find(model);
    if (found == models_.end()) return Refuse(RefusalReason::kNotReady, "the model is not loaded any more");
    ModelState& state = *found->second;
    status = closed_ ? Refuse(RefusalReason::kDraining, "the server is stopping and takes no new work")
                     : Admit(state, job, refusals);
    if (status.ok()) {
      if (free_cores_ > 0) changed_.NotifyOne();
    } else {
      status = Count(state, std::move(status));
    }
    Note(state);
  }
  Tell(std::move(refusals));
  return status;
}

absl::Status Scheduler::Admit(ModelState& model, std::unique_ptr<Job>& job, Refusals& refusals) {
  const JobTerms& terms = job->terms();
  const TimePoint now = clock_.Now();
  if (terms.deadline.HasPassed(now)) {
    return Refuse(RefusalReason::kExpired, "the deadline had passed when the request came");
  }
  Expire(now, false, refusals);
  // The older frame's place is the newer one's, also in what is expected; it goes back if that one is
  // refused.
  std::unique_ptr<Job> older = model.queue.TakeStream(terms.stream);
  std::unique_ptr<Job> evicted;
  absl::Status status = CheckInTime(model, terms, now);
  if (status.ok() && !model.queue.HasRoomFor(terms)) {
    const bool possible = terms.bytes <= model.policy.limits.max_bytes;
    if (possible && model.queue.size() >= model.policy.limits.max_jobs) {
      evicted = model.queue.TakeForTenant(terms.tenant);
    }
    if (!model.queue.HasRoomFor(terms)) {
      const Duration until = std::max(kLeastRetry, model.queue.backlog() / model.instances);
      status = RefuseUntil(RefusalReason::kQueueFull,
                           absl::StrCat(model.queue.size(), " requests with ", model.queue.bytes(),
                                        " bytes wait already; the limits are ", model.policy.limits.max_jobs,
                                        " and ", model.policy.limits.max_bytes),
                           until);
    }
  }
  if (evicted != nullptr) {
    Drop(model, std::move(evicted),
         Refuse(RefusalReason::kOverQuota,
                "the queue is full and another client has taken less of its share of it"),
         refusals);
  }
  if (!status.ok()) {
    if (older != nullptr) {
      const Duration work = model.WorkOf(older->terms());
      model.queue.Push(std::move(older), work);
    }
    return status;
  }
  if (older != nullptr) {
    Drop(model, std::move(older), Refuse(RefusalReason::kSuperseded, "a newer frame of the same stream came"),
         refusals);
  }
  if (model.queue.empty() && model.running == 0) {
    // An idle model starts level with those that are at work.
    double least = model.virtual_ns;
    bool first = true;
    for (const auto& [id, other] : models_) {
      if (other->queue.empty() && other->running == 0) continue;
      least = first ? other->virtual_ns : std::min(least, other->virtual_ns);
      first = false;
    }
    model.virtual_ns = std::max(model.virtual_ns, least);
  }
  job->admitted = now;
  next_expiry_ = std::min(next_expiry_, terms.deadline);
  const Duration work = model.WorkOf(terms);
  model.queue.Push(std::move(job), work);
  ++waiting_;
  return absl::OkStatus();
}

Duration Scheduler::WaitFor(const ModelState& model, JobQueue::Work ahead, Duration own,
                            TimePoint now) const {
  // When each instance that could run it is free.
  const bool all_cores = model.instances == options_.cores;
  std::vector<Duration> free_after;
  for (const auto& [number, run] : running_) {
    const Duration left = std::max(Duration::zero(), run.expected_end - now);
    if (all_cores || run.model == model.id)
      free_after.insert(free_after.end(), static_cast<size_t>(run.cores), left);
  }
  free_after.resize(std::max(static_cast<size_t>(model.instances), free_after.size()));
  // Other models take their share meanwhile, as if it were a fluid.
  Duration others{};
  for (const auto& [id, other] : models_) {
    if (id == model.id || other->queue.empty()) continue;
    const Duration share = Scaled(ahead.time + own, other->policy.weight / model.policy.weight);
    others += std::min(other->queue.backlog(), share);
  }
  // What goes before it, one job after the other to the first that is free; very many are a fluid too.
  if (ahead.jobs > kMostCounted) {
    const Duration busy = std::accumulate(free_after.begin(), free_after.end(), Duration::zero());
    return (busy + ahead.time) / static_cast<int64_t>(free_after.size()) + others / options_.cores;
  }
  std::make_heap(free_after.begin(), free_after.end(), std::greater<>());
  for (size_t job = 0; job < ahead.jobs; ++job) {
    std::pop_heap(free_after.begin(), free_after.end(), std::greater<>());
    free_after.back() += ahead.time / static_cast<int64_t>(ahead.jobs);
    std::push_heap(free_after.begin(), free_after.end(), std::greater<>());
  }
  return free_after.front() + others / options_.cores;
}

absl::Status Scheduler::CheckInTime(ModelState& model, const JobTerms& terms, TimePoint now) const {
  const CostModel& narrow = model.CostOf(terms.shape, false);
  const int64_t run_rows = RunRows(model.policy.sizes, terms.rows);
  Duration own = narrow.Usual(run_rows);
  const bool idle = running_.empty() && waiting_ == 0;
  if (idle && GoesWide(model, terms)) own = model.CostOf(terms.shape, true).Usual(run_rows);
  const JobQueue::Work ahead = model.queue.WorkBefore(terms);
  const bool starts_now = free_cores_ > 0 && waiting_ == 0 && model.running < model.instances;
  const Duration wait = starts_now ? Duration::zero() : WaitFor(model, ahead, own, now);
  if (starts_now && terms.deadline.Left(now) < own && model.running == 0 && model.IsStale(now)) {
    model.DoubtCosts();
    return absl::OkStatus();
  }
  if (terms.deadline.Left(now) < wait + own) {
    return RefuseUntil(
        RefusalReason::kWouldMiss,
        absl::StrCat("the answer is expected after ", Milliseconds(wait + own),
                     " ms, later than the deadline in ", Milliseconds(terms.deadline.Left(now)), " ms"),
        std::max(kLeastRetry, wait + own - terms.deadline.Left(now)));
  }
  // Those that would go after it were promised their time. Each has the work before it, and this one.
  const Duration added = model.WorkOf(terms);
  JobQueue::Work before = {ahead.time + added, ahead.jobs + 1};
  for (const JobQueue::Waiting& other : model.queue.Behind(terms)) {
    const Duration end = WaitFor(model, before, other.cost, now) + other.cost;
    const Duration left = other.deadline.Left(now);
    if (left < end && left >= end - added / model.instances) {
      return RefuseUntil(RefusalReason::kWouldMiss, "work that was accepted before would be late for it",
                         std::max(kLeastRetry, wait));
    }
    before = {before.time + other.cost, before.jobs + 1};
  }
  return absl::OkStatus();
}

}  // namespace waystone
