// SPDX-License-Identifier: Apache-2.0
#include "serving/picture_service.h"

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/mutex.h"
#include "engine/fake/fake_engine.h"
#include "types/refusal.h"
#include "vision/encode/encode.h"

namespace waystone {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kYaml[] =
    "schema: 1\nname: toy\ntask: classify\nfile: net.onnx\ninput: {width: 8, height: 6}\n"
    "batch_sizes: [1, 2]\ndecoder: {type: classification}\n";

// A service over a model on the fake engine, whose runs wait until the test lets them go.
class PictureServiceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root_ + "/toy");
    ASSERT_TRUE(WriteFileAtomically(root_ + "/toy/model.yaml", kYaml).ok());
    ASSERT_TRUE(WriteFileAtomically(root_ + "/toy/net.onnx", "network").ok());
    FakeScript script;
    script.signature = {{{"input", DataType::kFloat32, {kDynamicDim, 3, 6, 8}}},
                        {{"output", DataType::kFloat32, {kDynamicDim, 4}}}};
    script.on_run = [this](int64_t run, int64_t) {
      if (run == warm_runs_ + 1 && hold_first_run_) {
        started_.Notify();
        release_.WaitForNotification();
      }
      return run == warm_runs_ + failing_run_ ? absl::InternalError("scripted fault") : absl::OkStatus();
    };
    auto engine = std::make_unique<FakeEngine>(std::move(script));
    engine_ = engine.get();
    registry_.Add(std::move(engine));
  }
  void TearDown() override {
    if (!release_.HasBeenNotified()) release_.Notify();
    service_.reset();
    core_.reset();
    std::filesystem::remove_all(root_);
  }

  void Start(ServingOptions options, PictureLimits limits = {}) {
    absl::StatusOr<ModelCatalog> catalog = ModelCatalog::Scan({root_});
    ASSERT_TRUE(catalog.ok()) << catalog.status();
    absl::StatusOr<std::unique_ptr<PictureModel>> model =
        PictureModel::Load(*catalog, *catalog->Find("toy"), registry_, PictureModelOptions{}, clock_);
    ASSERT_TRUE(model.ok()) << model.status();
    core_ = std::make_unique<ServingCore>(std::move(options), metrics_, clock_);
    const absl::Status added = core_->Add(ServePictures(*std::move(model), nullptr, metrics_));
    ASSERT_TRUE(added.ok()) << added;
    warm_runs_ = engine_->counters().runs.load();
    service_ = std::make_unique<PictureService>(*core_, limits);
  }

  static std::string Picture() {
    Image image(8, 6);
    return EncodePicture(image.view(), EncodedFormat::kPng).value();
  }
  static PictureRequest Request() {
    PictureRequest request;
    request.model = "toy";
    request.source = "test";
    request.input = Picture();
    return request;
  }

  // The outcome of one accepted request, awaited.
  struct Outcome {
    Notification done;
    absl::StatusOr<PictureResult> result = absl::UnknownError("not called");
  };
  absl::Status Submit(PictureRequest request, Outcome& outcome) {
    return service_->Submit(std::move(request), [&outcome](absl::StatusOr<PictureResult> result) {
      outcome.result = std::move(result);
      outcome.done.Notify();
    });
  }

  const std::string root_ =
      testing::TempDir() + "picture_service_" + testing::UnitTest::GetInstance()->current_test_info()->name();
  FakeClock clock_{SteadyClock().Now()};  // decoding compares deadlines with the real clock
  MetricRegistry metrics_;
  EngineRegistry registry_;
  const FakeEngine* engine_ = nullptr;
  // Runs that tests mean are counted from the end of the warm-up.
  std::atomic<int64_t> warm_runs_ = 1'000'000;
  bool hold_first_run_ = false;
  int64_t failing_run_ = 0;
  Notification started_;
  Notification release_;
  std::unique_ptr<ServingCore> core_;
  std::unique_ptr<PictureService> service_;
};

TEST_F(PictureServiceTest, AnswersAPictureAndCountsIt) {
  Start({});
  ASSERT_NE(service_, nullptr);
  Outcome outcome;
  ASSERT_TRUE(Submit(Request(), outcome).ok());
  outcome.done.WaitForNotification();
  ASSERT_TRUE(outcome.result.ok()) << outcome.result.status();
  EXPECT_EQ(outcome.result->answer.prediction.classes.size(), 4u);
  EXPECT_EQ(outcome.result->answer.prediction.source, "test");
  EXPECT_TRUE(core_->Stop(seconds(30)));
  EXPECT_NE(metrics_.Text().find("waystone_requests_total{model=\"toy\",outcome=\"ok\"} 1\n"),
            std::string::npos);
  const ModelStatistics statistics = core_->Statistics("toy", "")->front();
  EXPECT_EQ(statistics.success.count, 1u);
  EXPECT_EQ(statistics.inference_count, 1u);
  EXPECT_EQ(statistics.execution_count, 1u);
}

TEST_F(PictureServiceTest, RunsARawTensorAndRefusesAnotherShape) {
  Start({});
  ASSERT_NE(service_, nullptr);
  Outcome good;
  PictureRequest request = Request();
  request.input = Tensor::Create(DataType::kFloat32, {2, 3, 6, 8}).value();
  ASSERT_TRUE(Submit(std::move(request), good).ok());
  good.done.WaitForNotification();
  ASSERT_TRUE(good.result.ok()) << good.result.status();
  ASSERT_EQ(good.result->outputs.size(), 1u);
  EXPECT_EQ(good.result->outputs[0].tensor.shape(), Shape({2, 4}));

  Outcome bad;
  request = Request();
  request.input = Tensor::Create(DataType::kFloat32, {1, 3, 6, 9}).value();
  ASSERT_TRUE(Submit(std::move(request), bad).ok());
  bad.done.WaitForNotification();
  EXPECT_EQ(bad.result.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(PictureServiceTest, RefusesAtOnceWhenTheQueueIsFull) {
  hold_first_run_ = true;
  ServingOptions options;
  options.queue.max_jobs = 1;
  Start(options);
  ASSERT_NE(service_, nullptr);
  Outcome running;
  Outcome waiting;
  Outcome refused;
  ASSERT_TRUE(Submit(Request(), running).ok());
  started_.WaitForNotification();
  ASSERT_TRUE(Submit(Request(), waiting).ok());
  const absl::Status status = Submit(Request(), refused);
  EXPECT_EQ(RefusalReasonOf(status), "queue_full");
  EXPECT_FALSE(refused.done.HasBeenNotified());
  release_.Notify();
  waiting.done.WaitForNotification();
  EXPECT_TRUE(running.result.ok() && waiting.result.ok());
}

TEST_F(PictureServiceTest, BoundsTheBytesThatWaitAtTheirLimit) {
  hold_first_run_ = true;
  ServingOptions options;
  options.queue.max_bytes = Picture().size();
  Start(options);
  ASSERT_NE(service_, nullptr);
  Outcome first;
  Outcome second;
  Outcome third;
  ASSERT_TRUE(Submit(Request(), first).ok());
  started_.WaitForNotification();
  ASSERT_TRUE(Submit(Request(), second).ok());  // exactly the limit
  EXPECT_EQ(RefusalReasonOf(Submit(Request(), third)), "queue_full");
  release_.Notify();
  second.done.WaitForNotification();
}

TEST_F(PictureServiceTest, DropsWorkNobodyWaitsForBeforeItStarts) {
  hold_first_run_ = true;
  Start({});
  ASSERT_NE(service_, nullptr);
  Outcome running;
  Outcome late;
  Outcome gone;
  ASSERT_TRUE(Submit(Request(), running).ok());
  started_.WaitForNotification();
  PictureRequest request = Request();
  request.deadline = Deadline::After(clock_.Now(), milliseconds(5));
  ASSERT_TRUE(Submit(std::move(request), late).ok());
  request = Request();
  request.cancelled = [] { return true; };
  ASSERT_TRUE(Submit(std::move(request), gone).ok());
  clock_.Advance(milliseconds(5));
  release_.Notify();
  gone.done.WaitForNotification();
  EXPECT_EQ(RefusalReasonOf(late.result.status()), "expired");
  EXPECT_EQ(RefusalReasonOf(gone.result.status()), "cancelled");
}

TEST_F(PictureServiceTest, ADeadlineThatHasPassedIsRefusedAtAdmission) {
  Start({});
  ASSERT_NE(service_, nullptr);
  Outcome outcome;
  PictureRequest request = Request();
  request.deadline = Deadline::At(clock_.Now());
  EXPECT_EQ(RefusalReasonOf(Submit(std::move(request), outcome)), "expired");
}

TEST_F(PictureServiceTest, AFailedRunFailsAloneAndTheNextIsServed) {
  failing_run_ = 1;
  Start({});
  ASSERT_NE(service_, nullptr);
  Outcome failed;
  Outcome good;
  ASSERT_TRUE(Submit(Request(), failed).ok());
  ASSERT_TRUE(Submit(Request(), good).ok());
  good.done.WaitForNotification();
  EXPECT_EQ(failed.result.status().code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(good.result.ok());
}

TEST_F(PictureServiceTest, InputsAreCheckedAtTheEdgeOfTheirLimit) {
  PictureLimits limits;
  limits.max_encoded_bytes = Picture().size();
  Start({}, limits);
  ASSERT_NE(service_, nullptr);
  Outcome at_limit;
  ASSERT_TRUE(Submit(Request(), at_limit).ok());
  at_limit.done.WaitForNotification();
  EXPECT_TRUE(at_limit.result.ok());
  Outcome unused;
  PictureRequest request = Request();
  request.input = Picture() + "x";
  EXPECT_EQ(Submit(std::move(request), unused).code(), absl::StatusCode::kOutOfRange);
  request = Request();
  request.input = std::string();
  EXPECT_EQ(Submit(std::move(request), unused).code(), absl::StatusCode::kInvalidArgument);
  request = Request();
  request.model = "other";
  EXPECT_EQ(Submit(std::move(request), unused).code(), absl::StatusCode::kNotFound);
}

TEST_F(PictureServiceTest, StopFinishesAcceptedWorkAndRefusesNew) {
  hold_first_run_ = true;
  Start({});
  ASSERT_NE(service_, nullptr);
  Outcome running;
  Outcome waiting;
  ASSERT_TRUE(Submit(Request(), running).ok());
  started_.WaitForNotification();
  ASSERT_TRUE(Submit(Request(), waiting).ok());
  EXPECT_FALSE(service_->draining());
  std::thread stopper([this] { EXPECT_TRUE(core_->Stop(seconds(30))); });
  while (!service_->draining()) std::this_thread::yield();
  release_.Notify();
  stopper.join();
  EXPECT_TRUE(service_->draining());
  EXPECT_TRUE(running.result.ok() && waiting.result.ok());
  Outcome late;
  EXPECT_EQ(RefusalReasonOf(Submit(Request(), late)), "draining");
}

TEST_F(PictureServiceTest, StopAnswersWhatItCutsOff) {
  hold_first_run_ = true;
  Start({});
  ASSERT_NE(service_, nullptr);
  Outcome running;
  Outcome waiting;
  ASSERT_TRUE(Submit(Request(), running).ok());
  started_.WaitForNotification();
  ASSERT_TRUE(Submit(Request(), waiting).ok());
  std::thread stopper([this] { EXPECT_FALSE(core_->Stop(Duration::zero())); });
  while (!core_->cutting_off()) std::this_thread::yield();
  release_.Notify();
  stopper.join();
  ASSERT_TRUE(running.done.HasBeenNotified() && waiting.done.HasBeenNotified());
  EXPECT_TRUE(running.result.ok());
  EXPECT_EQ(RefusalReasonOf(waiting.result.status()), "draining");
}

}  // namespace
}  // namespace waystone
