// SPDX-License-Identifier: Apache-2.0
//
// All metrics of the process by name and labels, and their text for Prometheus (exposition format 0.0.4).
// Getting a metric takes a lock, so callers get theirs once and keep the reference: it stays valid as long as
// the registry. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "base/mutex.h"
#include "metrics/metrics.h"

namespace waystone {

// Label names and values, in any order.
using MetricLabels = std::vector<std::pair<std::string, std::string>>;

class MetricRegistry {
 public:
  MetricRegistry() = default;
  MetricRegistry(const MetricRegistry&) = delete;
  MetricRegistry& operator=(const MetricRegistry&) = delete;

  // The metric of that name and labels, made on the first call. `help` is that of the first call for the
  // name. The name must be [a-zA-Z_:][a-zA-Z0-9_:]* and of one kind only.
  Counter& GetCounter(const std::string& name, const std::string& help, MetricLabels labels = {});
  Gauge& GetGauge(const std::string& name, const std::string& help, MetricLabels labels = {});
  Histogram& GetHistogram(const std::string& name, const std::string& help, MetricLabels labels = {},
                          std::vector<double> bounds = Histogram::LatencyBounds());
  // A gauge whose value is asked for at each scrape. `read` must be callable as long as the registry lives.
  void AddCallbackGauge(const std::string& name, const std::string& help, std::function<double()> read);

  std::string Text() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  enum class Kind { kCounter, kGauge, kHistogram, kCallback };
  struct Series {
    std::unique_ptr<Counter> counter;
    std::unique_ptr<Gauge> gauge;
    std::unique_ptr<Histogram> histogram;
    std::function<double()> read;
  };
  struct Family {
    Kind kind;
    std::string help;
    std::map<std::string, Series> series;  // by the labels as text
  };
  Series& Find(const std::string& name, const std::string& help, MetricLabels labels, Kind kind)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Family> families_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace waystone
