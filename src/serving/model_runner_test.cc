// SPDX-License-Identifier: Apache-2.0
#include "serving/model_runner.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/fake/fake_engine.h"

namespace waystone {
namespace {

using testing::ElementsAre;

// What each job was answered; its first output's values.
struct Answer {
  absl::Status status = absl::UnknownError("not answered");
  std::vector<float> values;
  int times = 0;
};

class ModelRunnerTest : public testing::Test {
 protected:
  ModelRunnerTest() {
    FakeScript script;
    script.signature = {{{"in", DataType::kFloat32, {kDynamicDim, 2}}},
                        {{"out", DataType::kFloat32, {kDynamicDim, 1}}}};
    script.on_run = [this](int64_t run, int64_t rows) {
      rows_.push_back(rows);
      return failing_.contains(run) ? absl::InternalError("scripted fault") : absl::OkStatus();
    };
    engine_ = std::make_unique<FakeEngine>(std::move(script));
    LoadOptions load;
    load.batch_sizes = {1, 4};
    std::unique_ptr<Model> model = engine_->Load("network", "onnx", "", load).value();
    auto served = std::make_shared<ServedModel>();
    served->name = "sum";
    served->signature = WireSignature(model->signature(), load.batch_sizes);
    served->sizes = SizesOf(served->signature, load.batch_sizes);
    served->counters = std::make_unique<ModelCounters>("sum", "1", metrics_);
    served->narrow = std::move(model);
    served_ = served;
    runner_ = ModelRunner::Create(served_, 1, clock_).value();
  }

  // A job of rows {first, 0}, {first + 1, 0}, ...; `width` other than 2 is what no run takes.
  std::unique_ptr<Job> MakeJob(int64_t rows, float first, Answer& answer, int64_t width = 2) {
    auto values = std::make_shared<std::vector<float>>(static_cast<size_t>(rows * width));
    for (int64_t row = 0; row < rows; ++row)
      (*values)[static_cast<size_t>(row * width)] = first + static_cast<float>(row);
    InferPlan plan;
    plan.rows = rows;
    plan.inputs.push_back({DataType::kFloat32, {rows, width}, std::as_writable_bytes(std::span(*values))});
    JobTerms terms;
    terms.rows = rows;
    return std::make_unique<InferJob>(
        std::move(terms), std::move(plan), values,
        [&answer](const InferJob&, absl::StatusOr<std::span<const TensorView>> outputs) {
          ++answer.times;
          answer.status = outputs.status();
          if (!outputs.ok()) return;
          const std::span<const float> got = (*outputs)[0].As<const float>();
          answer.values.assign(got.begin(), got.end());
        });
  }
  bool Run(std::vector<std::unique_ptr<Job>> jobs) {
    Batch batch;
    for (const auto& job : jobs) batch.rows += job->terms().rows;
    batch.run_rows = RunRows(served_->sizes, batch.rows);
    batch.jobs = std::move(jobs);
    return runner_->Run(batch, 0);
  }
  template <typename... Jobs>
  bool RunAll(Jobs... jobs) {
    std::vector<std::unique_ptr<Job>> all;
    (all.push_back(std::move(jobs)), ...);
    return Run(std::move(all));
  }

  MetricRegistry metrics_;
  SteadyClock clock_;
  std::set<int64_t> failing_;
  std::vector<int64_t> rows_;  // of each run
  std::unique_ptr<FakeEngine> engine_;
  std::shared_ptr<const ServedModel> served_;
  std::shared_ptr<ModelRunner> runner_;
};

TEST_F(ModelRunnerTest, S19GivesEachJobOfABatchItsOwnRows) {
  Answer one;
  Answer two;
  EXPECT_TRUE(RunAll(MakeJob(1, 10, one), MakeJob(2, 20, two)));
  EXPECT_THAT(one.values, ElementsAre(10));
  EXPECT_THAT(two.values, ElementsAre(20, 21));
  EXPECT_THAT(rows_, ElementsAre(4));  // padded to a size that the network was compiled for
}

TEST_F(ModelRunnerTest, S19LeavesNothingOfALargerBatchInASmallerOne) {
  Answer large;
  Answer small;
  EXPECT_TRUE(RunAll(MakeJob(4, 1, large)));
  EXPECT_TRUE(RunAll(MakeJob(2, 50, small)));
  EXPECT_THAT(large.values, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(small.values, ElementsAre(50, 51));
}

TEST_F(ModelRunnerTest, S24ABadRowFailsAlone) {
  failing_ = {1, 3};  // the batch, then the second of its jobs
  Answer good;
  Answer bad;
  Answer also_good;
  EXPECT_FALSE(RunAll(MakeJob(1, 10, good), MakeJob(1, 20, bad), MakeJob(1, 30, also_good)));
  EXPECT_TRUE(good.status.ok() && also_good.status.ok());
  EXPECT_THAT(good.values, ElementsAre(10));
  EXPECT_EQ(bad.status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(also_good.values, ElementsAre(30));
  EXPECT_EQ(good.times + bad.times + also_good.times, 3);
}

TEST_F(ModelRunnerTest, AJobAloneIsNotTriedTwice) {
  failing_ = {1};
  Answer answer;
  EXPECT_FALSE(RunAll(MakeJob(1, 10, answer)));
  EXPECT_EQ(answer.status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(rows_.size(), 1u);
}

TEST_F(ModelRunnerTest, S20ShapesThatDoNotBelongTogetherAreNeverMixed) {
  Answer fits;
  Answer other;
  EXPECT_FALSE(RunAll(MakeJob(1, 10, fits), MakeJob(1, 20, other, 3)));
  EXPECT_THAT(fits.values, ElementsAre(10));
  EXPECT_EQ(other.status.code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ModelRunnerTest, WarmUpTeachesTheCostOfEverySize) {
  Scheduler scheduler({1, {}}, metrics_, clock_);
  ModelPolicy policy;
  policy.name = "sum";
  policy.sizes = served_->sizes;
  const ModelId id = scheduler.AddModel(policy, runner_);
  ASSERT_TRUE(runner_->WarmUp(scheduler, id).ok());
  EXPECT_THAT(rows_, testing::IsSupersetOf({1, 4}));
  ASSERT_EQ(scheduler.View().size(), 1u);
  EXPECT_EQ(scheduler.View()[0].narrow.size(), 1u);
}

TEST_F(ModelRunnerTest, AFailingWarmUpIsTold) {
  failing_ = {1};
  Scheduler scheduler({1, {}}, metrics_, clock_);
  const ModelId id = scheduler.AddModel({}, runner_);
  EXPECT_EQ(runner_->WarmUp(scheduler, id).code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace waystone
