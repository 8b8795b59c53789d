// SPDX-License-Identifier: Apache-2.0
//
// Plays the scenarios of tests/scenarios/scheduler: jobs that arrive at stated times, models with stated
// costs, and what the scheduler must do with them. A simulated machine on a FakeClock takes the place of
// threads and engines, so a scenario always goes the same way.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "base/clock.h"
#include "metrics/registry.h"
#include "scheduler/scheduler.h"

namespace waystone {
namespace {

namespace fs = std::filesystem;

Duration Milliseconds(double ms) { return Duration(static_cast<int64_t>(ms * 1e6)); }

struct ModelCost {
  Duration a{};
  Duration b{};
  Duration wide{};  // of one row; zero: no instance on all cores
  Duration Of(int64_t rows, bool on_all) const { return on_all ? wide * rows : a * rows + b; }
};

class SimulatedMachine;

class SimulatedJob final : public Job {
 public:
  SimulatedJob(JobTerms terms, std::string id, SimulatedMachine& machine)
      : Job(std::move(terms)), id_(std::move(id)), machine_(machine) {}
  void Refuse(absl::Status reason) override;
  const std::string& id() const { return id_; }

 private:
  const std::string id_;
  SimulatedMachine& machine_;
};

// One scenario: its models, what will happen, and what has happened.
class SimulatedMachine {
 public:
  explicit SimulatedMachine(const YAML::Node& scenario) {
    SchedulerOptions options;
    options.cores = scenario["cores"].as<int>(1);
    for (const auto& tenant : scenario["tenants"]) {
      options.tenant_weights[tenant.first.as<std::string>()] = tenant.second.as<double>();
    }
    scheduler_ = std::make_unique<Scheduler>(std::move(options), metrics_, clock_);
    for (const YAML::Node& model : scenario["models"]) AddModel(model);
    for (const YAML::Node& job : scenario["jobs"]) AddJob(job);
    for (const YAML::Node& at : scenario["sweeps"]) {
      Plan(Milliseconds(at.as<double>()), [this] { scheduler_->Sweep(); });
    }
    if (scenario["remove"]) {
      Plan(Milliseconds(scenario["remove"]["at"].as<double>()),
           [this, name = scenario["remove"]["model"].as<std::string>()] {
             scheduler_->RemoveModel(models_.at(name), Refuse(RefusalReason::kNotReady, "unloaded"));
           });
    }
    if (scenario["close"])
      Plan(Milliseconds(scenario["close"].as<double>()), [this] { scheduler_->Close(); });
  }

  std::vector<std::string> Play() {
    while (!plan_.empty()) {
      const auto next = plan_.begin();
      clock_.Advance(next->first - Elapsed());
      const std::vector<std::function<void()>> steps = std::move(next->second);
      plan_.erase(next);
      for (const auto& step : steps) step();
      while (std::optional<Batch> batch = scheduler_->TryTake()) Start(std::move(*batch));
    }
    return events_;
  }

  void Note(const std::string& what) {
    events_.push_back(absl::StrCat(std::chrono::duration<double, std::milli>(Elapsed()).count(), " ", what));
  }

 private:
  Duration Elapsed() const { return clock_.Now() - start_; }
  void Plan(Duration at, std::function<void()> step) { plan_[at].push_back(std::move(step)); }

  void AddModel(const YAML::Node& node) {
    ModelPolicy policy;
    policy.name = node["name"].as<std::string>("m");
    policy.weight = node["weight"].as<double>(1);
    policy.max_running = node["instances"].as<int>(0);
    policy.sizes.max_rows = node["max_batch"].as<int64_t>(1);
    policy.sizes.allowed = node["allowed"].as<std::vector<int64_t>>(std::vector<int64_t>());
    policy.sizes.preferred = node["preferred"].as<std::vector<int64_t>>(std::vector<int64_t>());
    policy.limits.max_jobs = node["max_jobs"].as<size_t>(policy.limits.max_jobs);
    policy.limits.max_bytes = node["max_bytes"].as<size_t>(policy.limits.max_bytes);
    ModelCost cost;
    cost.a = Milliseconds(node["a"].as<double>(0));
    cost.b = Milliseconds(node["b"].as<double>(0));
    cost.wide = Milliseconds(node["wide"].as<double>(0));
    policy.wide = cost.wide > Duration::zero();
    const std::string name = policy.name;
    const std::vector<int64_t> sizes = policy.sizes.allowed;
    const int64_t max_rows = policy.sizes.max_rows;
    const ModelId id = scheduler_->AddModel(std::move(policy), nullptr);
    models_[name] = id;
    names_[id] = name;
    costs_[id] = cost;
    if (node["unknown"].as<bool>(false)) return;
    const bool misjudged = node["believed"].IsDefined();  // what the warm-up measured instead of the truth
    if (misjudged) cost.a = Milliseconds(node["believed"].as<double>());
    for (int64_t rows = 1; rows <= max_rows; ++rows) {
      if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), rows) == sizes.end()) continue;
      Teach(id, rows, cost.Of(rows, false), false);
    }
    if (cost.wide > Duration::zero()) Teach(id, 1, cost.wide, true);
  }

  // As often as it takes for the deviation to be next to nothing: scenarios speak of means.
  void Teach(ModelId id, int64_t rows, Duration took, bool wide) {
    for (int i = 0; i < 200; ++i) scheduler_->Learn(id, 0, wide, rows, took);
  }

  void AddJob(const YAML::Node& node) {
    const double at = node["at"].as<double>(0);
    const int copies = node["copies"].as<int>(1);
    const double every = node["every"].as<double>(0);
    for (int copy = 0; copy < copies; ++copy) {
      const Duration when = Milliseconds(at + every * copy);
      const std::string id = absl::StrCat(node["id"].as<std::string>(), copies > 1 ? absl::StrCat(copy) : "");
      Plan(when, [this, node, id] { Arrive(node, id); });
    }
    if (node["gone"]) {
      Plan(Milliseconds(node["gone"].as<double>()),
           [this, id = node["id"].as<std::string>()] { gone_.insert(id); });
    }
  }

  void Arrive(const YAML::Node& node, const std::string& id) {
    JobTerms terms;
    terms.rows = node["rows"].as<int64_t>(1);
    terms.shape = node["shape"].as<uint64_t>(0);
    terms.bytes = node["bytes"].as<size_t>(1);
    terms.priority = node["priority"].as<int>(1);
    terms.stream = node["stream"].as<std::string>("");
    terms.tenant = node["tenant"].as<std::string>("");
    if (node["in"]) terms.deadline = Deadline::After(clock_.Now(), Milliseconds(node["in"].as<double>()));
    terms.cancelled = [this, id] { return gone_.contains(id); };
    std::unique_ptr<Job> job = std::make_unique<SimulatedJob>(std::move(terms), id, *this);
    const absl::Status status = scheduler_->Submit(models_.at(node["model"].as<std::string>("m")), job);
    if (!status.ok()) job->Refuse(status);
  }

  void Start(Batch batch) {
    std::vector<std::string> ids;
    for (const std::unique_ptr<Job>& job : batch.jobs) ids.push_back(static_cast<SimulatedJob&>(*job).id());
    const std::string padding = batch.run_rows == batch.rows ? "" : absl::StrCat(" as ", batch.run_rows);
    Note(absl::StrCat("run ", names_.size() > 1 ? absl::StrCat(names_.at(batch.model), " ") : "",
                      absl::StrJoin(ids, "+"), padding, batch.wide ? " wide" : ""));
    const Duration took = costs_.at(batch.model).Of(batch.run_rows, batch.wide);
    auto shared = std::make_shared<Batch>(std::move(batch));
    Plan(Elapsed() + took, [this, shared, took] { scheduler_->Finish(*shared, took); });
  }

  const TimePoint start_ = TimePoint(std::chrono::seconds(1));
  FakeClock clock_{start_};
  MetricRegistry metrics_;
  std::vector<std::string> events_;  // outlives the scheduler, which may refuse at its end
  std::set<std::string> gone_;
  std::map<std::string, ModelId> models_;
  std::map<ModelId, std::string> names_;
  std::map<ModelId, ModelCost> costs_;
  std::map<Duration, std::vector<std::function<void()>>> plan_;
  std::unique_ptr<Scheduler> scheduler_;
};

void SimulatedJob::Refuse(absl::Status reason) {
  machine_.Note(absl::StrCat("refuse ", id_, " ", RefusalReasonOf(reason)));
}

std::vector<std::string> Scenarios() {
  std::vector<std::string> names;
  for (const auto& file :
       fs::directory_iterator(fs::path(WAYSTONE_SOURCE_DIR) / "tests/scenarios/scheduler")) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class SchedulerScenarioTest : public ::testing::TestWithParam<std::string> {};

TEST_P(SchedulerScenarioTest, GoesAsWritten) {
  const fs::path file = fs::path(WAYSTONE_SOURCE_DIR) / "tests/scenarios/scheduler" / (GetParam() + ".yaml");
  const YAML::Node scenario = YAML::LoadFile(file.string());
  const std::vector<std::string> expected = scenario["expect"].as<std::vector<std::string>>();
  ASSERT_FALSE(expected.empty());
  EXPECT_THAT(SimulatedMachine(scenario).Play(), ::testing::ElementsAreArray(expected))
      << scenario["shows"].as<std::string>();
}

INSTANTIATE_TEST_SUITE_P(Files, SchedulerScenarioTest, ::testing::ValuesIn(Scenarios()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace waystone
