// SPDX-License-Identifier: Apache-2.0
//
// What is counted of one model version: for the statistics of the protocol, and as metrics. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"

#include "base/clock.h"
#include "base/mutex.h"
#include "metrics/registry.h"
#include "serving/inference_service.h"
#include "types/prediction.h"

namespace waystone {

// Of one run.
struct RunTimes {
  Duration input{};
  Duration infer{};
  Duration output{};
};

class ModelCounters {
 public:
  ModelCounters(const std::string& model, const std::string& version, MetricRegistry& metrics);

  // A run of `rows` on the engine.
  void AddRun(int64_t rows, const RunTimes& times);
  // A request of `rows` that was answered; durations from its coming.
  void AddSuccess(int64_t rows, Duration queued, Duration total);
  // A picture that was answered by one run of its own.
  void AddPicture(const StageTimes& times, Duration queued, Duration total);
  // A request that failed after it was taken; refusals are the scheduler's to count.
  void AddFailure(Duration total);

  ModelStatistics Read() const;

 private:
  // What both kinds of answers count.
  void CountRun(int64_t rows, const RunTimes& times) ABSL_LOCKS_EXCLUDED(mutex_);

  struct Metrics {
    Counter* succeeded;
    Counter* failed;
    Histogram* queue;
    Histogram* decode;
    Histogram* preprocess;
    Histogram* postprocess;
    Histogram* input;
    Histogram* infer;
    Histogram* output;
    Histogram* total;
  };

  Metrics metrics_;
  mutable Mutex mutex_;
  ModelStatistics statistics_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, BatchStatistics> batches_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace waystone
