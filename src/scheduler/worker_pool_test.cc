// SPDX-License-Identifier: Apache-2.0
//
// The scheduler with real threads: every job is answered once, whatever happens at the same time. Meant for
// the thread sanitizer as much as for its assertions.
#include "scheduler/worker_pool.h"

#include <atomic>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace waystone {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Tally {
  std::atomic<int> run = 0;
  std::atomic<int> refused = 0;
  std::atomic<int> twice = 0;
};

class CountedJob final : public Job {
 public:
  CountedJob(JobTerms terms, Tally& tally) : Job(std::move(terms)), tally_(tally) {}
  ~CountedJob() override {
    if (answers_ != 1) ++tally_.twice;
  }
  void Refuse(absl::Status) override {
    ++answers_;
    ++tally_.refused;
  }
  void Answer() {
    ++answers_;
    ++tally_.run;
  }

 private:
  Tally& tally_;
  int answers_ = 0;
};

class AnsweringRunner final : public BatchRunner {
 public:
  bool Run(Batch& batch, int) override {
    for (const std::unique_ptr<Job>& job : batch.jobs) static_cast<CountedJob&>(*job).Answer();
    return true;
  }
};

TEST(WorkerPoolTest, AnswersEveryJobOnceUnderLoadCancellationAndClose) {
  MetricRegistry metrics;
  const SteadyClock clock;
  Tally tally;
  std::atomic<int> submitted = 0;
  std::atomic<int> refused_at_once = 0;
  {
    Scheduler scheduler({2, {}}, metrics, clock);
    ModelPolicy policy;
    policy.name = "m";
    policy.wide = true;
    policy.sizes.max_rows = 4;
    policy.limits.max_jobs = 16;
    const ModelId model = scheduler.AddModel(policy, std::make_shared<AnsweringRunner>());
    WorkerPool pool(scheduler, 2, clock);
    std::vector<std::thread> clients;
    for (int client = 0; client < 4; ++client) {
      clients.emplace_back([&, client] {
        for (int i = 0; i < 500; ++i) {
          JobTerms terms;
          terms.deadline = Deadline::After(clock.Now(), milliseconds(i % 3 == 0 ? 1 : 1000));
          terms.stream = i % 5 == 0 ? "stream" : "";
          terms.tenant = client == 0 ? "a" : "b";
          terms.cancelled = [i] { return i % 7 == 0; };
          std::unique_ptr<Job> job = std::make_unique<CountedJob>(std::move(terms), tally);
          ++submitted;
          if (const absl::Status status = scheduler.Submit(model, job); !status.ok()) {
            ++refused_at_once;
            job->Refuse(status);
          }
        }
      });
    }
    for (std::thread& client : clients) client.join();
    scheduler.Close();
    EXPECT_TRUE(scheduler.AwaitIdle(seconds(60)));
    pool.Stop();
  }
  EXPECT_EQ(tally.run + tally.refused, submitted.load());
  EXPECT_EQ(tally.twice, 0);
  EXPECT_GT(tally.run, 0);
}

TEST(WorkerPoolTest, TellsAnExpiredJobWhileEveryWorkerIsBusy) {
  MetricRegistry metrics;
  const SteadyClock clock;
  Tally tally;
  Notification started;
  Notification release;
  class HoldingRunner final : public BatchRunner {
   public:
    HoldingRunner(Notification& started, Notification& release) : started_(started), release_(release) {}
    bool Run(Batch& batch, int) override {
      started_.Notify();
      release_.WaitForNotification();
      for (const std::unique_ptr<Job>& job : batch.jobs) static_cast<CountedJob&>(*job).Answer();
      return true;
    }

   private:
    Notification& started_;
    Notification& release_;
  };
  Scheduler scheduler({1, {}}, metrics, clock);
  const ModelId model = scheduler.AddModel({.name = "m"}, std::make_shared<HoldingRunner>(started, release));
  WorkerPool pool(scheduler, 1, clock);
  std::unique_ptr<Job> busy = std::make_unique<CountedJob>(JobTerms{}, tally);
  ASSERT_TRUE(scheduler.Submit(model, busy).ok());
  started.WaitForNotification();
  JobTerms short_terms;
  short_terms.deadline = Deadline::After(clock.Now(), milliseconds(20));
  std::unique_ptr<Job> expiring = std::make_unique<CountedJob>(std::move(short_terms), tally);
  ASSERT_TRUE(scheduler.Submit(model, expiring).ok());
  while (tally.refused == 0) std::this_thread::yield();
  EXPECT_EQ(tally.run, 0);
  release.Notify();
  pool.Stop();
  EXPECT_EQ(tally.run, 1);
}

}  // namespace
}  // namespace waystone
