// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scheduler.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "scheduler/model_state.h"

namespace waystone {
namespace {

constexpr double kLoadRate = 0.4;   // of the newest batch in the running mean of the load
constexpr double kLoneLoad = 1.25;  // jobs in the system; above this they come faster than one at a time

}  // namespace

Scheduler::Scheduler(SchedulerOptions options, MetricRegistry& metrics, const Clock& clock)
    : options_(std::move(options)), metrics_(metrics), clock_(clock), free_cores_(options_.cores) {
  WAYSTONE_CHECK(options_.cores >= 1, "a scheduler needs a core");
}

Scheduler::~Scheduler() { RefuseWaiting(Refuse(RefusalReason::kDraining, "the server is stopping")); }

ModelId Scheduler::AddModel(ModelPolicy policy, std::shared_ptr<BatchRunner> runner) {
  auto state = std::make_unique<ModelState>(std::move(policy), std::move(runner), options_, metrics_);
  MutexLock lock(mutex_);
  const ModelId id = next_number_++;
  state->id = id;
  models_.emplace(id, std::move(state));
  return id;
}

void Scheduler::RemoveModel(ModelId model, const absl::Status& reason) {
  Refusals refusals;
  {
    MutexLock lock(mutex_);
    const auto found = models_.find(model);
    if (found == models_.end()) return;
    ModelState& state = *found->second;
    DropAll(state, reason, refusals);
    models_.erase(found);
    changed_.NotifyAll();
  }
  Tell(std::move(refusals));
}

void Scheduler::Learn(ModelId model, uint64_t shape, bool wide, int64_t rows, Duration took) {
  MutexLock lock(mutex_);
  const auto found = models_.find(model);
  if (found == models_.end()) return;
  found->second->Learn(shape, wide, rows, took, clock_.Now());
}

absl::Status Scheduler::Count(const ModelState& model, absl::Status refusal) const {
  const auto counter = model.refused.find(RefusalReasonOf(refusal));
  if (counter != model.refused.end()) counter->second->Increment();
  return refusal;
}

void Scheduler::Tell(Refusals refusals) {
  for (Refusal& refusal : refusals) refusal.job->Refuse(std::move(refusal.reason));
}

void Scheduler::Note(const ModelState& model) const {
  model.depth.Set(static_cast<double>(model.queue.size()));
  model.queued_bytes.Set(static_cast<double>(model.queue.bytes()));
}

bool Scheduler::GoesWide(const ModelState& model, const JobTerms& terms) const {
  if (!model.policy.wide || free_cores_ < options_.cores || load_ >= kLoneLoad) return false;
  // Some networks are too small to gain anything by more cores.
  const int64_t rows = RunRows(model.policy.sizes, terms.rows);
  const Duration narrow = model.CostOf(terms.shape, false).Mean(rows);
  return narrow == Duration::zero() || model.CostOf(terms.shape, true).Mean(rows) < narrow;
}

Scheduler::ModelState* Scheduler::NextModel() {
  if (free_cores_ == 0 || waiting_ == 0) return nullptr;
  ModelState* best = nullptr;
  for (const auto& [id, model] : models_) {
    if (model->queue.empty() || model->running >= model->instances) continue;
    if (best == nullptr || model->virtual_ns < best->virtual_ns) best = model.get();
  }
  return best;
}

absl::Status Scheduler::NoLongerOfUse(const Job& job, TimePoint now) {
  if (job.cancelled()) {
    return Refuse(RefusalReason::kCancelled, "the client went away before this request's turn");
  }
  if (job.terms().deadline.HasPassed(now)) {
    return Refuse(RefusalReason::kExpired, "the deadline passed before this request's turn");
  }
  return absl::OkStatus();
}

void Scheduler::Drop(const ModelState& model, std::unique_ptr<Job> job, absl::Status reason,
                     Refusals& refusals) {
  --waiting_;
  refusals.push_back({std::move(job), Count(model, std::move(reason))});
}

void Scheduler::DropAll(ModelState& model, const absl::Status& reason, Refusals& refusals) {
  for (std::unique_ptr<Job>& job : model.queue.TakeIf([](const Job&) { return true; })) {
    Drop(model, std::move(job), reason, refusals);
  }
  Note(model);
}

// True when the head was taken out instead of being left for a batch.
bool Scheduler::DropHopeless(ModelState& model, bool wide, TimePoint now, Refusals& refusals) {
  const Job& head = model.queue.Head();
  const JobTerms& terms = head.terms();
  absl::Status reason = NoLongerOfUse(head, now);
  const Duration run = model.CostOf(terms.shape, wide).Usual(RunRows(model.policy.sizes, terms.rows));
  if (reason.ok() && terms.deadline.Left(now) < run && !model.IsStale(now)) {
    reason = Refuse(RefusalReason::kWouldMiss, "too little time is left for the run");
  }
  if (reason.ok()) return false;
  Drop(model, model.queue.TakeHead(), std::move(reason), refusals);
  return true;
}

std::optional<Batch> Scheduler::Form(Refusals& refusals) {
  const TimePoint now = clock_.Now();
  Expire(now, false, refusals);
  while (ModelState* model = NextModel()) {
    const double in_system = static_cast<double>(waiting_ + in_run_);
    const bool wide = waiting_ == 1 && GoesWide(*model, model->queue.Head().terms());
    if (DropHopeless(*model, wide, now, refusals)) {
      Note(*model);
      continue;
    }
    load_ += kLoadRate * (in_system - load_);
    Batch batch = Fill(*model, wide, now, refusals);
    Note(*model);
    return batch;
  }
  return std::nullopt;
}

Batch Scheduler::Fill(ModelState& model, bool wide, TimePoint now, Refusals& refusals) {
  const JobTerms& head = model.queue.Head().terms();
  const CostModel& cost = model.CostOf(head.shape, wide);
  BatchChoice choice;
  choice.waiting_rows = model.queue.rows(head.shape);
  choice.head_rows = head.rows;
  choice.idle_instances = std::min(free_cores_, model.instances - model.running);
  choice.left = head.deadline.Left(now);
  choice.cost = [&cost](int64_t rows) { return cost.Usual(rows); };
  const int64_t most = ChooseRows(model.policy.sizes, choice);

  Batch batch;
  batch.model = model.id;
  batch.runner = model.runner;
  batch.shape = head.shape;
  batch.wide = wide;
  batch.taken = now;
  batch.number = next_number_++;
  for (std::unique_ptr<Job> job = model.queue.TakeHead(); job != nullptr;
       job = model.queue.TakeNext(batch.shape, most - batch.rows)) {
    // The head was looked at before.
    absl::Status reason = batch.jobs.empty() ? absl::OkStatus() : NoLongerOfUse(*job, now);
    if (!reason.ok()) {
      Drop(model, std::move(job), std::move(reason), refusals);
      continue;
    }
    batch.rows += job->terms().rows;
    batch.jobs.push_back(std::move(job));
    --waiting_;
  }
  batch.run_rows = RunRows(model.policy.sizes, batch.rows);
  const int cores = wide ? options_.cores : 1;
  const Duration expected = cost.Mean(batch.run_rows);
  for (const std::unique_ptr<Job>& taken : batch.jobs) {
    const double part = static_cast<double>(taken->terms().rows) / static_cast<double>(batch.rows);
    model.queue.Charge(taken->terms().tenant, Scaled(expected * cores, part));
  }
  model.virtual_ns += static_cast<double>((expected * cores).count()) / model.policy.weight;
  running_.emplace(batch.number, Running{model.id, cores, now + expected, expected, batch.jobs.size()});
  free_cores_ -= cores;
  in_run_ += batch.jobs.size();
  ++model.running;
  model.batch_rows.Observe(static_cast<double>(batch.rows));
  if (wide) model.wide_runs.Increment();
  return batch;
}

std::optional<Batch> Scheduler::TryTake() {
  Refusals refusals;
  std::optional<Batch> batch;
  {
    MutexLock lock(mutex_);
    batch = Form(refusals);
  }
  Tell(std::move(refusals));
  return batch;
}

std::optional<Batch> Scheduler::Take() {
  while (true) {
    Refusals refusals;
    std::optional<Batch> batch;
    bool over = false;
    {
      MutexLock lock(mutex_);
      while (true) {
        batch = Form(refusals);
        over = closed_ && waiting_ == 0;
        if (batch.has_value() || !refusals.empty() || over) break;
        changed_.Wait(mutex_);
      }
      // Another worker may find work for itself.
      if (batch.has_value() && free_cores_ > 0 && waiting_ > 0) changed_.NotifyOne();
    }
    Tell(std::move(refusals));
    if (batch.has_value() || over) return batch;
  }
}

void Scheduler::Finish(const Batch& batch, std::optional<Duration> took) {
  MutexLock lock(mutex_);
  const auto run = running_.find(batch.number);
  WAYSTONE_CHECK(run != running_.end(), "a batch comes back once");
  free_cores_ += run->second.cores;
  in_run_ -= run->second.jobs;
  if (const auto found = models_.find(batch.model); found != models_.end()) {
    ModelState& model = *found->second;
    --model.running;
    if (took.has_value()) {
      model.Learn(batch.shape, batch.wide, batch.run_rows, *took, clock_.Now());
      const Duration beside = (*took - run->second.expected) * run->second.cores;
      model.virtual_ns += static_cast<double>(beside.count()) / model.policy.weight;
    }
  }
  const bool wide = run->second.cores > 1;
  running_.erase(run);
  // The worker that brings it looks for work itself.
  if (wide || closed_) changed_.NotifyAll();
  if (closed_ && running_.empty() && waiting_ == 0) idle_.NotifyAll();
}

bool Scheduler::AwaitIdle(Duration timeout) {
  // Waits in the time of threads, whatever the scheduler's clock is.
  const Deadline deadline = Deadline::After(std::chrono::steady_clock::now(), timeout);
  MutexLock lock(mutex_);
  while (waiting_ > 0 || !running_.empty()) {
    if (!idle_.WaitUntil(mutex_, deadline.when())) return waiting_ == 0 && running_.empty();
  }
  return true;
}

void Scheduler::Expire(TimePoint now, bool ask_clients, Refusals& refusals) {
  if (!ask_clients && !next_expiry_.HasPassed(now)) return;
  next_expiry_ = Deadline::Never();
  for (const auto& [id, model] : models_) {
    if (model->queue.empty()) continue;
    const auto lost = [&](const Job& job) {
      return job.terms().deadline.HasPassed(now) || (ask_clients && job.cancelled());
    };
    for (std::unique_ptr<Job>& job : model->queue.TakeIf(lost)) {
      absl::Status reason = NoLongerOfUse(*job, now);
      Drop(*model, std::move(job), std::move(reason), refusals);
    }
    next_expiry_ = std::min(next_expiry_, model->queue.EarliestDeadline());
    Note(*model);
  }
}

void Scheduler::Sweep() {
  Refusals refusals;
  {
    MutexLock lock(mutex_);
    if (waiting_ > 0) Expire(clock_.Now(), true, refusals);
    if (closed_ && waiting_ == 0) changed_.NotifyAll();
    if (waiting_ == 0 && running_.empty()) idle_.NotifyAll();
  }
  Tell(std::move(refusals));
}

void Scheduler::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  changed_.NotifyAll();
}

void Scheduler::RefuseWaiting(const absl::Status& reason) {
  Refusals refusals;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, model] : models_) {
      DropAll(*model, reason, refusals);
    }
    changed_.NotifyAll();
  }
  Tell(std::move(refusals));
}

std::vector<Scheduler::ModelView> Scheduler::View() const {
  std::vector<ModelView> views;
  MutexLock lock(mutex_);
  for (const auto& [id, model] : models_) {
    ModelView view{model->policy.name, model->queue.size(), model->running, model->queue.backlog(), {}, {}};
    for (const auto& [shape, cost] : model->narrow_costs) view.narrow[shape] = cost.line();
    for (const auto& [shape, cost] : model->wide_costs) view.wide[shape] = cost.line();
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace waystone
