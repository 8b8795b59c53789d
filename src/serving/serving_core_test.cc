// SPDX-License-Identifier: Apache-2.0
#include "serving/serving_core.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutex.h"
#include "engine/fake/fake_engine.h"
#include "types/refusal.h"

namespace waystone {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

// What a client gets, copied within the callback as a codec would encode it.
struct Got {
  Notification done;
  absl::Status status;
  std::string version;
  std::string id;
  std::vector<InferTensor> outputs;  // without data
  std::vector<std::string> data;

  std::vector<float> Floats(size_t output = 0) const {
    std::vector<float> values(data[output].size() / sizeof(float));
    std::memcpy(values.data(), data[output].data(), data[output].size());
    return values;
  }
};

// A core over one model of the fake engine, "sum": input [-1,2], output [-1,2] of the row's sum and sum + 1.
class ServingCoreTest : public testing::Test {
 protected:
  void Start(ServingOptions options = {}, std::vector<int> sizes = {1, 2, 4}) {
    FakeScript script;
    script.signature = {{{"in", DataType::kFloat32, {kDynamicDim, 2}}},
                        {{"out", DataType::kFloat32, {kDynamicDim, 2}}}};
    script.on_run = [this](int64_t run, int64_t rows) {
      if (run == warm_runs_ + 1 && hold_first_run_) {
        started_.Notify();
        release_.WaitForNotification();
      }
      rows_of_runs_.push_back(rows);  // one worker, so one thread after the other
      return failing_runs_.contains(run - warm_runs_) ? absl::InternalError("scripted fault")
                                                      : absl::OkStatus();
    };
    engine_ = std::make_unique<FakeEngine>(std::move(script));
    LoadOptions load;
    load.batch_sizes = sizes;
    absl::StatusOr<std::unique_ptr<Model>> model = engine_->Load("network", "onnx", "", load);
    ASSERT_TRUE(model.ok()) << model.status();
    auto served = std::make_shared<ServedModel>();
    served->name = "sum";
    served->version = "3";
    served->platform = "fake";
    served->signature = WireSignature((*model)->signature(), sizes);
    served->sizes = SizesOf(served->signature, sizes);
    served->labels = {"zero", "one"};
    served->counters = std::make_unique<ModelCounters>("sum", "3", metrics_);
    served->narrow = *std::move(model);
    core_ = std::make_unique<ServingCore>(std::move(options), metrics_, clock_);
    const absl::Status added = core_->Add(std::move(served));
    ASSERT_TRUE(added.ok()) << added;
    warm_runs_ = engine_->counters().runs.load();
    rows_of_runs_.clear();
  }
  void TearDown() override {
    if (!release_.HasBeenNotified()) release_.Notify();
    core_.reset();
  }

  // A request of rows {first, 0}, {first + 1, 0}, ...
  static InferRequest Rows(int64_t rows, float first) {
    auto values = std::make_shared<std::vector<float>>();
    for (int64_t row = 0; row < rows; ++row) {
      values->push_back(first + static_cast<float>(row));
      values->push_back(0);
    }
    InferRequest request;
    request.model = "sum";
    request.inputs.push_back(
        {"in", DataType::kFloat32, {rows, 2}, std::as_bytes(std::span<const float>(*values)), {}});
    request.memory = values;
    return request;
  }
  static std::vector<float> Sums(int64_t rows, float first) {
    std::vector<float> sums;
    for (int64_t row = 0; row < rows; ++row) {
      sums.push_back(first + static_cast<float>(row));
      sums.push_back(first + static_cast<float>(row) + 1);
    }
    return sums;
  }
  void Infer(InferRequest request, Got& got) {
    core_->Infer(std::move(request), [&got](absl::StatusOr<InferResponse> response) {
      got.status = response.status();
      if (response.ok()) {
        got.version = response->version;
        got.id = response->id;
        for (const InferTensor& output : response->outputs) {
          got.data.emplace_back(reinterpret_cast<const char*>(output.data.data()), output.data.size());
          got.outputs.push_back({output.name, output.type, output.shape, {}, {}});
        }
      }
      got.done.Notify();
    });
  }
  absl::Status Refused(InferRequest request) {
    Got got;
    Infer(std::move(request), got);
    got.done.WaitForNotification();
    return got.status;
  }

  MetricRegistry metrics_;
  SteadyClock clock_;
  std::unique_ptr<FakeEngine> engine_;
  std::unique_ptr<ServingCore> core_;
  std::atomic<int64_t> warm_runs_ = 1'000'000;
  bool hold_first_run_ = false;
  std::set<int64_t> failing_runs_;  // counted from the end of the warm-up
  std::vector<int64_t> rows_of_runs_;
  Notification started_;
  Notification release_;
};

TEST_F(ServingCoreTest, AnswersARequestWithItsIdAndVersion) {
  Start();
  Got got;
  InferRequest request = Rows(2, 7);
  request.id = "frame 12";
  Infer(std::move(request), got);
  got.done.WaitForNotification();
  ASSERT_TRUE(got.status.ok()) << got.status;
  EXPECT_EQ(got.id, "frame 12");
  EXPECT_EQ(got.version, "3");
  ASSERT_EQ(got.outputs.size(), 1u);
  EXPECT_EQ(got.outputs[0].name, "out");
  EXPECT_EQ(got.outputs[0].shape, Shape({2, 2}));
  EXPECT_EQ(got.Floats(), Sums(2, 7));
}

TEST_F(ServingCoreTest, S19EachCallerOfABatchGetsItsOwnRows) {
  hold_first_run_ = true;
  Start();
  Got busy;
  Got one;
  Got two;
  Got other;
  Infer(Rows(1, 0), busy);
  started_.WaitForNotification();
  Infer(Rows(1, 10), one);
  Infer(Rows(2, 20), two);
  Infer(Rows(1, 40), other);
  release_.Notify();
  for (Got* got : {&busy, &one, &two, &other}) got->done.WaitForNotification();
  EXPECT_EQ(one.Floats(), Sums(1, 10));
  EXPECT_EQ(two.Floats(), Sums(2, 20));
  EXPECT_EQ(other.Floats(), Sums(1, 40));
}

TEST_F(ServingCoreTest, S23ARequestOfMoreRowsThanARunTakesIsSplitAndRejoined) {
  Start();
  Got got;
  Infer(Rows(11, 100), got);
  got.done.WaitForNotification();
  ASSERT_TRUE(got.status.ok()) << got.status;
  EXPECT_EQ(got.outputs[0].shape, Shape({11, 2}));
  EXPECT_EQ(got.Floats(), Sums(11, 100));
  EXPECT_EQ(std::accumulate(rows_of_runs_.begin(), rows_of_runs_.end(), int64_t{0}), 12);  // the last padded
}

TEST_F(ServingCoreTest, S23RowsBeyondTheLimitOfARequestAreRefusedWithTheLimit) {
  ServingOptions options;
  options.max_rows = 5;
  Start(options);
  EXPECT_TRUE(Refused(Rows(5, 0)).ok());
  const absl::Status status = Refused(Rows(6, 0));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the limit of a request is 5"));
}

TEST_F(ServingCoreTest, AFailedPartFailsTheWholeRequestOnce) {
  failing_runs_ = {2};
  Start();
  EXPECT_EQ(Refused(Rows(12, 0)).code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(Refused(Rows(1, 0)).ok());
}

TEST_F(ServingCoreTest, S45AFailedRunIsToldAndTheNextRequestIsServed) {
  failing_runs_ = {1};
  Start();
  const absl::Status status = Refused(Rows(1, 0));
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(RefusalReasonOf(status), "");
  Got got;
  Infer(Rows(1, 5), got);
  got.done.WaitForNotification();
  EXPECT_EQ(got.Floats(), Sums(1, 5));
}

TEST_F(ServingCoreTest, AskedForClassesItAnswersTheLargestWithTheirLabels) {
  Start();
  Got got;
  InferRequest request = Rows(2, 5);
  request.outputs.push_back({"out", 1, {}});
  Infer(std::move(request), got);
  got.done.WaitForNotification();
  ASSERT_TRUE(got.status.ok()) << got.status;
  EXPECT_FALSE(got.outputs[0].type.has_value());
  EXPECT_EQ(got.outputs[0].shape, Shape({2, 1}));
  EXPECT_EQ(got.data[0], std::string("\x0e\0\0\0", 4) + "6.000000:1:one" + std::string("\x0e\0\0\0", 4) +
                             "7.000000:1:one");
}

TEST_F(ServingCoreTest, S02WhatARequestHoldsCountsAgainstTheQueue) {
  ServingOptions options;
  options.queue.max_bytes = 1000;
  Start(options);
  InferRequest request = Rows(1, 0);
  request.memory_bytes = 1000;
  EXPECT_TRUE(Refused(std::move(request)).ok());
  request = Rows(1, 0);
  request.memory_bytes = 1001;
  EXPECT_EQ(RefusalReasonOf(Refused(std::move(request))), "queue_full");
}

TEST_F(ServingCoreTest, RefusesAnUnknownModelVersionAndOutput) {
  Start();
  InferRequest request = Rows(1, 0);
  request.model = "other";
  EXPECT_EQ(Refused(std::move(request)).code(), absl::StatusCode::kNotFound);
  request = Rows(1, 0);
  request.version = "4";
  EXPECT_EQ(Refused(std::move(request)).code(), absl::StatusCode::kNotFound);
  request = Rows(1, 0);
  request.version = "latest";
  EXPECT_EQ(Refused(std::move(request)).code(), absl::StatusCode::kInvalidArgument);
  request = Rows(1, 0);
  request.version = "3";
  EXPECT_TRUE(Refused(std::move(request)).ok());
}

TEST_F(ServingCoreTest, AShortTimeoutParameterIsADeadline) {
  hold_first_run_ = true;
  Start();
  Got busy;
  Infer(Rows(1, 0), busy);
  started_.WaitForNotification();
  InferRequest request = Rows(1, 0);
  request.arrived = clock_.Now();
  request.parameters["timeout"] = int64_t{20'000};
  const absl::Status status = Refused(std::move(request));  // told while the only worker is busy
  EXPECT_EQ(RefusalReasonOf(status), "expired");
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  release_.Notify();
  busy.done.WaitForNotification();
}

TEST_F(ServingCoreTest, S41WorkThatNobodyWaitsForIsDropped) {
  hold_first_run_ = true;
  Start();
  Got busy;
  Infer(Rows(1, 0), busy);
  started_.WaitForNotification();
  InferRequest request = Rows(1, 0);
  request.cancelled = [] { return true; };
  EXPECT_EQ(RefusalReasonOf(Refused(std::move(request))), "cancelled");
  EXPECT_EQ(engine_->counters().runs - warm_runs_, 1);
  release_.Notify();
  busy.done.WaitForNotification();
}

TEST_F(ServingCoreTest, ANewerFrameOfAStreamReplacesTheOneThatWaits) {
  hold_first_run_ = true;
  Start();
  Got busy;
  Got older;
  Got newer;
  Infer(Rows(1, 0), busy);
  started_.WaitForNotification();
  InferRequest request = Rows(1, 1);
  request.stream = "player 1";
  Infer(std::move(request), older);
  request = Rows(1, 2);
  request.stream = "player 1";
  Infer(std::move(request), newer);
  older.done.WaitForNotification();
  EXPECT_EQ(RefusalReasonOf(older.status), "superseded");
  release_.Notify();
  newer.done.WaitForNotification();
  EXPECT_EQ(newer.Floats(), Sums(1, 2));
}

TEST_F(ServingCoreTest, S37StopAnswersWhatWasAcceptedAndRefusesNewWork) {
  hold_first_run_ = true;
  Start();
  Got busy;
  Got waiting;
  Infer(Rows(1, 0), busy);
  started_.WaitForNotification();
  Infer(Rows(1, 1), waiting);
  std::thread stopper([this] { EXPECT_TRUE(core_->Stop(seconds(60))); });
  while (!core_->draining()) std::this_thread::yield();
  EXPECT_FALSE(core_->ready());
  EXPECT_TRUE(core_->live());
  EXPECT_EQ(RefusalReasonOf(Refused(Rows(1, 2))), "draining");
  release_.Notify();
  stopper.join();
  EXPECT_TRUE(busy.status.ok() && waiting.status.ok());
}

TEST_F(ServingCoreTest, CountsWhatTheProtocolCounts) {
  failing_runs_ = {3};
  Start();
  EXPECT_TRUE(Refused(Rows(2, 0)).ok());
  EXPECT_TRUE(Refused(Rows(1, 0)).ok());
  EXPECT_FALSE(Refused(Rows(1, 0)).ok());
  EXPECT_TRUE(core_->Stop(seconds(60)));
  const auto statistics = core_->Statistics("sum", "");
  ASSERT_TRUE(statistics.ok());
  ASSERT_EQ(statistics->size(), 1u);
  const ModelStatistics& of = statistics->front();
  EXPECT_EQ(of.name, "sum");
  EXPECT_EQ(of.version, "3");
  EXPECT_EQ(of.inference_count, 3u);
  EXPECT_EQ(of.execution_count, 2u);
  EXPECT_EQ(of.success.count, 2u);
  EXPECT_EQ(of.fail.count, 1u);
  EXPECT_EQ(of.queue.count, 2u);
  EXPECT_EQ(of.compute_infer.count, 2u);
  ASSERT_EQ(of.batches.size(), 2u);
  EXPECT_EQ(of.batches[0].batch_size, 1u);
  EXPECT_EQ(of.batches[1].batch_size, 2u);
  EXPECT_EQ(core_->Statistics("sum", "9").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ServingCoreTest, DescribesItsModels) {
  Start();
  const auto metadata = core_->Metadata("sum", "");
  ASSERT_TRUE(metadata.ok());
  EXPECT_THAT(metadata->versions, ElementsAre("3"));
  ASSERT_EQ(metadata->inputs.size(), 1u);
  EXPECT_EQ(metadata->inputs[0].datatype, "FP32");
  EXPECT_THAT(metadata->inputs[0].shape, ElementsAre(-1, 2));
  ASSERT_EQ(core_->Index(true).size(), 1u);
  EXPECT_EQ(core_->Index(true)[0].state, ModelState::kReady);
  EXPECT_TRUE(*core_->ModelReady("sum", "3"));
  EXPECT_EQ(core_->ModelReady("other", "").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace waystone
