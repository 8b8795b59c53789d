// SPDX-License-Identifier: Apache-2.0
#include "metrics/registry.h"

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(MetricRegistryTest, WritesThePrometheusTextFormat) {
  MetricRegistry registry;
  registry.GetCounter("requests_total", "Requests.", {{"model", "a"}, {"code", "200"}}).Increment(3);
  registry.GetGauge("depth", "Depth.").Set(1.5);
  registry.GetHistogram("seconds", "Time.", {{"stage", "x"}}, {0.1, 1}).Observe(0.1);
  registry.AddCallbackGauge("open", "Open.", [] { return 4.0; });
  EXPECT_EQ(registry.Text(),
            "# HELP depth Depth.\n# TYPE depth gauge\ndepth 1.5\n"
            "# HELP open Open.\n# TYPE open gauge\nopen 4\n"
            "# HELP requests_total Requests.\n# TYPE requests_total counter\n"
            "requests_total{code=\"200\",model=\"a\"} 3\n"
            "# HELP seconds Time.\n# TYPE seconds histogram\n"
            "seconds_bucket{stage=\"x\",le=\"0.1\"} 1\nseconds_bucket{stage=\"x\",le=\"1\"} 1\n"
            "seconds_bucket{stage=\"x\",le=\"+Inf\"} 1\nseconds_sum{stage=\"x\"} "
            "0.1\nseconds_count{stage=\"x\"} 1\n");
}

TEST(MetricRegistryTest, TheSameNameAndLabelsAreTheSameMetricInAnyOrder) {
  MetricRegistry registry;
  Counter& first = registry.GetCounter("n", "N.", {{"a", "1"}, {"b", "2"}});
  Counter& second = registry.GetCounter("n", "N.", {{"b", "2"}, {"a", "1"}});
  EXPECT_EQ(&first, &second);
}

TEST(MetricRegistryTest, LabelValuesFromOutsideCannotBreakTheFormat) {
  MetricRegistry registry;
  registry.GetCounter("n", "N.", {{"model", "a\"b\\c\nd"}}).Increment();
  EXPECT_NE(registry.Text().find("n{model=\"a\\\"b\\\\c\\nd\"} 1\n"), std::string::npos) << registry.Text();
}

}  // namespace
}  // namespace waystone
