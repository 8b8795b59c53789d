// SPDX-License-Identifier: Apache-2.0
//
// What the scheduler keeps of a model and of a run; its own affair, under its lock.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "scheduler/scheduler.h"

namespace waystone {

inline Duration Scaled(Duration duration, double factor) {
  return Duration(static_cast<int64_t>(static_cast<double>(duration.count()) * factor));
}

struct Scheduler::ModelState {
  ModelState(ModelPolicy with, std::shared_ptr<BatchRunner> by, const SchedulerOptions& options,
             MetricRegistry& metrics)
      : policy(std::move(with)),
        runner(std::move(by)),
        queue(policy.limits, options.tenant_weights),
        instances(policy.max_running > 0 ? std::min(policy.max_running, options.cores) : options.cores),
        depth(metrics.GetGauge("waystone_queue_depth", "Requests that wait.", {{"model", policy.name}})),
        queued_bytes(
            metrics.GetGauge("waystone_queue_bytes", "Bytes of inputs that wait.", {{"model", policy.name}})),
        batch_rows(metrics.GetHistogram("waystone_batch_rows", "Rows of each run, without padding.",
                                        {{"model", policy.name}}, {1, 2, 4, 8, 16, 32, 64, 128})),
        wide_runs(
            metrics.GetCounter("waystone_wide_runs_total", "Runs on all cores.", {{"model", policy.name}})) {
    for (const RefusalReason reason : kAllRefusalReasons) {
      const std::string name(Name(reason));
      refused[name] = &metrics.GetCounter("waystone_refused_total", "Requests turned away, by reason.",
                                          {{"model", policy.name}, {"reason", name}});
    }
  }

  // Of a run, with and without all cores; the first shape's where this one has not been seen.
  const CostModel& CostOf(uint64_t shape, bool on_all) const {
    static const CostModel kNothing;
    const std::map<uint64_t, CostModel>& costs = on_all ? wide_costs : narrow_costs;
    if (const auto found = costs.find(shape); found != costs.end()) return found->second;
    return costs.empty() ? kNothing : costs.begin()->second;
  }
  // What a job adds to the work of a busy system: its rows' part of the batches they will be run in.
  Duration WorkOf(const JobTerms& terms) const {
    const CostModel& cost = CostOf(terms.shape, false);
    const int64_t most = std::max(terms.rows, policy.sizes.max_rows);
    const Duration alone = cost.Mean(RunRows(policy.sizes, terms.rows));
    const Duration together =
        Scaled(cost.Mean(most), static_cast<double>(terms.rows) / static_cast<double>(most));
    return together > Duration::zero() ? std::min(alone, together) : alone;
  }

  // Remembers what a run took. Shapes come from requests, so there is an end to how many are told apart;
  // those beyond it are taken for the first.
  void Learn(uint64_t shape, bool on_all, int64_t rows, Duration took, TimePoint now) {
    constexpr size_t kMostShapes = 256;
    last_run = now;
    std::map<uint64_t, CostModel>& costs = on_all ? wide_costs : narrow_costs;
    if (costs.contains(shape) || costs.size() < kMostShapes) costs[shape].Observe(rows, took);
  }
  void DoubtCosts() {
    for (auto& [shape, cost] : narrow_costs) cost.Doubt();
    for (auto& [shape, cost] : wide_costs) cost.Doubt();
  }
  // Nothing has told the model's speed for a while, so it may have changed.
  bool IsStale(TimePoint now) const {
    constexpr Duration kFresh = std::chrono::seconds(1);
    return now - last_run >= kFresh;
  }

  const ModelPolicy policy;
  const std::shared_ptr<BatchRunner> runner;
  ModelId id = 0;
  JobQueue queue;
  const int instances;
  int running = 0;
  TimePoint last_run{};   // that told the cost
  double virtual_ns = 0;  // of core time taken, over the weight
  std::map<uint64_t, CostModel> narrow_costs;
  std::map<uint64_t, CostModel> wide_costs;
  Gauge& depth;
  Gauge& queued_bytes;
  Histogram& batch_rows;
  Counter& wide_runs;
  std::map<std::string, Counter*, std::less<>> refused;
};

struct Scheduler::Running {
  ModelId model;
  int cores;
  TimePoint expected_end;
  Duration expected;
  size_t jobs;
};

}  // namespace waystone
