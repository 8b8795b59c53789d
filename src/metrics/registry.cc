// SPDX-License-Identifier: Apache-2.0
#include "metrics/registry.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

#include "base/check.h"

namespace waystone {
namespace {

std::string LabelText(MetricLabels labels) {
  std::sort(labels.begin(), labels.end());
  return absl::StrJoin(labels, ",", [](std::string* out, const auto& label) {
    absl::StrAppend(out, label.first, "=\"",
                    absl::StrReplaceAll(label.second, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}}), "\"");
  });
}

// "name{labels,extra} value" with the braces left out when there is nothing in them.
template <typename Value>
void AppendLine(std::string* out, const std::string& name, const std::string& labels,
                const std::string& extra, Value value) {
  const bool braces = !labels.empty() || !extra.empty();
  absl::StrAppend(out, name, braces ? "{" : "", labels, !labels.empty() && !extra.empty() ? "," : "", extra,
                  braces ? "} " : " ", value, "\n");
}

void AppendHistogram(std::string* out, const std::string& name, const std::string& labels,
                     const Histogram::Snapshot& snapshot) {
  uint64_t cumulative = 0;
  for (size_t i = 0; i < snapshot.counts.size(); ++i) {
    cumulative += snapshot.counts[i];
    const std::string bound = i < snapshot.bounds.size() ? absl::StrCat(snapshot.bounds[i]) : "+Inf";
    AppendLine(out, name + "_bucket", labels, absl::StrCat("le=\"", bound, "\""), cumulative);
  }
  AppendLine(out, name + "_sum", labels, "", snapshot.sum);
  AppendLine(out, name + "_count", labels, "", snapshot.count);
}

}  // namespace

MetricRegistry::Series& MetricRegistry::Find(const std::string& name, const std::string& help,
                                             MetricLabels labels, Kind kind) {
  const auto [family, made] = families_.try_emplace(name, Family{kind, help, {}});
  WAYSTONE_CHECK(family->second.kind == kind, "one name, two kinds of metric");
  return family->second.series[LabelText(std::move(labels))];
}

Counter& MetricRegistry::GetCounter(const std::string& name, const std::string& help, MetricLabels labels) {
  MutexLock lock(mutex_);
  Series& series = Find(name, help, std::move(labels), Kind::kCounter);
  if (series.counter == nullptr) series.counter = std::make_unique<Counter>();
  return *series.counter;
}

Gauge& MetricRegistry::GetGauge(const std::string& name, const std::string& help, MetricLabels labels) {
  MutexLock lock(mutex_);
  Series& series = Find(name, help, std::move(labels), Kind::kGauge);
  if (series.gauge == nullptr) series.gauge = std::make_unique<Gauge>();
  return *series.gauge;
}

Histogram& MetricRegistry::GetHistogram(const std::string& name, const std::string& help, MetricLabels labels,
                                        std::vector<double> bounds) {
  MutexLock lock(mutex_);
  Series& series = Find(name, help, std::move(labels), Kind::kHistogram);
  if (series.histogram == nullptr) series.histogram = std::make_unique<Histogram>(std::move(bounds));
  return *series.histogram;
}

void MetricRegistry::AddCallbackGauge(const std::string& name, const std::string& help,
                                      std::function<double()> read) {
  MutexLock lock(mutex_);
  Find(name, help, {}, Kind::kCallback).read = std::move(read);
}

std::string MetricRegistry::Text() const {
  MutexLock lock(mutex_);
  std::string out;
  for (const auto& [name, family] : families_) {
    const char* kind = family.kind == Kind::kCounter     ? "counter"
                       : family.kind == Kind::kHistogram ? "histogram"
                                                         : "gauge";
    absl::StrAppend(&out, "# HELP ", name, " ", family.help, "\n# TYPE ", name, " ", kind, "\n");
    for (const auto& [labels, series] : family.series) {
      switch (family.kind) {
        case Kind::kCounter:
          AppendLine(&out, name, labels, "", series.counter->value());
          break;
        case Kind::kGauge:
          AppendLine(&out, name, labels, "", series.gauge->value());
          break;
        case Kind::kHistogram:
          AppendHistogram(&out, name, labels, series.histogram->snapshot());
          break;
        case Kind::kCallback:
          AppendLine(&out, name, labels, "", series.read());
          break;
      }
    }
  }
  return out;
}

}  // namespace waystone
