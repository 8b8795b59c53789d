// SPDX-License-Identifier: Apache-2.0
#include "serving/model_counters.h"

#include <chrono>

namespace waystone {
namespace {

void Add(DurationStatistic& statistic, Duration took) {
  ++statistic.count;
  statistic.ns += static_cast<uint64_t>(took.count());
}

Duration Milliseconds(double ms) { return Duration(static_cast<int64_t>(ms * 1e6)); }

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

uint64_t UnixMilliseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace

ModelCounters::ModelCounters(const std::string& model, const std::string& version, MetricRegistry& metrics) {
  statistics_.name = model;
  statistics_.version = version;
  const auto outcome = [&](const char* value) {
    return &metrics.GetCounter("waystone_requests_total", "Answered requests, by outcome.",
                               {{"model", model}, {"outcome", value}});
  };
  const auto stage = [&](const char* value) {
    return &metrics.GetHistogram("waystone_stage_seconds", "Time of a request by stage.",
                                 {{"model", model}, {"stage", value}});
  };
  metrics_ = {outcome("ok"),        outcome("error"), stage("queue"), stage("decode"), stage("preprocess"),
              stage("postprocess"), stage("input"),   stage("infer"), stage("output"), stage("total")};
}

void ModelCounters::AddRun(int64_t rows, const RunTimes& times) {
  metrics_.input->Observe(Seconds(times.input));
  metrics_.infer->Observe(Seconds(times.infer));
  metrics_.output->Observe(Seconds(times.output));
  CountRun(rows, times);
}

void ModelCounters::AddPicture(const StageTimes& times, Duration queued, Duration total) {
  metrics_.decode->Observe(times.decode_ms / 1e3);
  metrics_.preprocess->Observe(times.preprocess_ms / 1e3);
  metrics_.infer->Observe(times.infer_ms / 1e3);
  metrics_.postprocess->Observe(times.postprocess_ms / 1e3);
  CountRun(1, {Milliseconds(times.decode_ms + times.preprocess_ms), Milliseconds(times.infer_ms),
               Milliseconds(times.postprocess_ms)});
  AddSuccess(1, queued, total);
}

void ModelCounters::CountRun(int64_t rows, const RunTimes& times) {
  MutexLock lock(mutex_);
  ++statistics_.execution_count;
  Add(statistics_.compute_input, times.input);
  Add(statistics_.compute_infer, times.infer);
  Add(statistics_.compute_output, times.output);
  BatchStatistics& batch = batches_[static_cast<uint64_t>(rows)];
  batch.batch_size = static_cast<uint64_t>(rows);
  Add(batch.compute_input, times.input);
  Add(batch.compute_infer, times.infer);
  Add(batch.compute_output, times.output);
}

void ModelCounters::AddSuccess(int64_t rows, Duration queued, Duration total) {
  metrics_.succeeded->Increment();
  metrics_.queue->Observe(Seconds(queued));
  metrics_.total->Observe(Seconds(total));
  const uint64_t now = UnixMilliseconds();
  MutexLock lock(mutex_);
  statistics_.last_inference_ms = now;
  statistics_.inference_count += static_cast<uint64_t>(rows);
  Add(statistics_.success, total);
  Add(statistics_.queue, queued);
}

void ModelCounters::AddFailure(Duration total) {
  metrics_.failed->Increment();
  MutexLock lock(mutex_);
  Add(statistics_.fail, total);
}

ModelStatistics ModelCounters::Read() const {
  MutexLock lock(mutex_);
  ModelStatistics statistics = statistics_;
  for (const auto& [rows, batch] : batches_) statistics.batches.push_back(batch);
  return statistics;
}

}  // namespace waystone
