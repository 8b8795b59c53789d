// SPDX-License-Identifier: Apache-2.0
//
// ModelStreamInfer against a running server.
#include "grpc/infer_stream.h"

#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>

#include "base/mutex.h"
#include "grpc/testing/infer_stream_fixture.h"
#include "types/refusal.h"

namespace waystone {
namespace {

using inference::ModelInferRequest;
using inference::ModelStreamInferResponse;
using testing::HasSubstr;

class InferStreamTest : public InferStreamFixture {};

TEST_F(InferStreamTest, AnswersEachRequestAndEndsWithTheClient) {
  Serve();
  Open();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(Send(std::to_string(i)));
    ExpectAnswer(Receive(), std::to_string(i));
  }
  stream_->WritesDone();
  ExpectEnd(grpc::StatusCode::OK);
  ExpectNothingInFlight();
  while (server_->stats().streams_open > 0) std::this_thread::yield();
}

TEST_F(InferStreamTest, AStreamWithoutRequestsEnds) {
  Serve();
  Open();
  stream_->WritesDone();
  ExpectEnd(grpc::StatusCode::OK);
}

TEST_F(InferStreamTest, AnswersComeInTheOrderOfTheRequests) {
  Serve();
  service_.HoldInferences();
  Open();
  std::vector<FakeInferenceService::Held> held;
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(Send(std::to_string(i)));
    held.push_back(service_.Take());  // all of them are in work at once
  }
  for (size_t i = held.size(); i-- > 0;) held[i].callback(EchoOf(held[i].request));
  for (int i = 0; i < 8; ++i) ExpectAnswer(Receive(), std::to_string(i));
  stream_->WritesDone();
  ExpectEnd(grpc::StatusCode::OK);
}

// Answers come from another thread, whose own part in reading must not let a request overtake another.
TEST_F(InferStreamTest, TheServiceGetsTheRequestsInTheirOrder) {
  constexpr int kRequests = 1000;
  Serve();
  Mutex mutex;
  CondVar came;
  std::vector<std::string> order;
  std::deque<FakeInferenceService::Held> waiting;
  service_.infer = [&](InferRequest request, InferCallback callback) {
    MutexLock lock(mutex);
    order.push_back(request.id);
    waiting.push_back({std::move(request), std::move(callback)});
    came.NotifyOne();
  };
  std::thread worker([&] {
    for (int i = 0; i < kRequests; ++i) {
      FakeInferenceService::Held held;
      {
        MutexLock lock(mutex);
        while (waiting.empty()) came.Wait(mutex);
        held = std::move(waiting.front());
        waiting.pop_front();
      }
      held.callback(EchoOf(held.request));
    }
  });
  Open();
  std::thread sender([this] {
    for (int i = 0; i < kRequests; ++i) EXPECT_TRUE(Send(std::to_string(i)));
    stream_->WritesDone();
  });
  for (int i = 0; i < kRequests; ++i) ExpectAnswer(Receive(), std::to_string(i));
  ExpectEnd(grpc::StatusCode::OK);
  sender.join();
  worker.join();
  for (int i = 0; i < kRequests; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], std::to_string(i));
}

TEST_F(InferStreamTest, WhatWasSentIsAnsweredAfterTheClientHasSentAll) {
  Serve();
  service_.HoldInferences();
  Open();
  ASSERT_TRUE(Send("a"));
  stream_->WritesDone();
  const FakeInferenceService::Held held = service_.Take();
  held.callback(EchoOf(held.request));
  ExpectAnswer(Receive(), "a");
  ExpectEnd(grpc::StatusCode::OK);
}

TEST_F(InferStreamTest, AFailedRequestIsAnsweredAndTheStreamGoesOn) {
  Serve();
  service_.infer = [](const InferRequest& request, const InferCallback& callback) {
    if (request.id == "bad") {
      callback(Refuse(RefusalReason::kQueueFull, "no room"));
    } else {
      callback(EchoOf(request));
    }
  };
  Open();
  ASSERT_TRUE(Send("bad"));
  const ModelStreamInferResponse failed = Receive();
  EXPECT_EQ(failed.error_message(), "no room");
  EXPECT_EQ(failed.infer_response().id(), "bad");
  EXPECT_EQ(failed.infer_response().model_name(), "m");
  EXPECT_EQ(failed.infer_response().outputs_size(), 0);
  EXPECT_EQ(failed.infer_response().parameters().at(kRefusalParameter).string_param(), "queue_full");
  EXPECT_TRUE(failed.infer_response().parameters().at(kFinalResponse).bool_param());
  ASSERT_TRUE(Send("good"));
  ExpectAnswer(Receive(), "good");
  stream_->WritesDone();
  ExpectEnd(grpc::StatusCode::OK);
}

TEST_F(InferStreamTest, ARequestThatBreaksARuleIsAnsweredAndTheStreamGoesOn) {
  Serve();
  Open();
  ModelInferRequest surplus = RawRequest("m", "x", "surplus");
  surplus.add_raw_input_contents("y");
  ASSERT_TRUE(stream_->Write(surplus));
  const ModelStreamInferResponse failed = Receive();
  EXPECT_THAT(failed.error_message(), HasSubstr("2 entries for 1 inputs"));
  EXPECT_EQ(failed.infer_response().id(), "surplus");
  ASSERT_TRUE(Send("good"));
  ExpectAnswer(Receive(), "good");
}

TEST_F(InferStreamTest, AnErrorWithoutTextStillIsOne) {
  Serve();
  service_.infer = [](const InferRequest&, const InferCallback& callback) {
    callback(absl::AbortedError(""));
  };
  Open();
  ASSERT_TRUE(Send("a"));
  EXPECT_EQ(Receive().error_message(), "ABORTED");
}

TEST_F(InferStreamTest, ExceptionsOfTheServiceBecomeErrors) {
  Serve();
  service_.infer = [](const InferRequest&, const InferCallback&) { throw std::runtime_error("thrown"); };
  Open();
  ASSERT_TRUE(Send("a"));
  EXPECT_THAT(Receive().error_message(), HasSubstr("thrown"));
}

TEST_F(InferStreamTest, H16StrictErrorsEndTheStreamAtTheFirst) {
  Serve();
  service_.HoldInferences();
  context_.AddMetadata(kStrictErrorsKey, "true");
  Open();
  std::vector<FakeInferenceService::Held> held;
  for (const char* id : {"good", "bad", "later"}) {
    ASSERT_TRUE(Send(id));
    held.push_back(service_.Take());
  }
  held[1].callback(Refuse(RefusalReason::kNotReady, "loading"));
  held[0].callback(EchoOf(held[0].request));
  ExpectAnswer(Receive(), "good");
  ExpectEnd(grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(TrailingMetadata(context_, kRefusalKey), "not_ready");
  EXPECT_TRUE(held[2].request.cancelled());
  held[2].callback(EchoOf(held[2].request));  // after the end
  held.clear();
  ExpectNothingInFlight();
}

TEST_F(InferStreamTest, OtherValuesOfTheStrictHeaderChangeNothing) {
  Serve();
  service_.infer = [](const InferRequest&, const InferCallback& callback) {
    callback(absl::InternalError("failed"));
  };
  context_.AddMetadata(kStrictErrorsKey, "false");
  Open();
  ASSERT_TRUE(Send("a"));
  EXPECT_EQ(Receive().error_message(), "failed");
  ASSERT_TRUE(Send("b"));
  EXPECT_EQ(Receive().infer_response().id(), "b");
}

TEST_F(InferStreamTest, CancellingTheCallCancelsWhatIsInWork) {
  Serve();
  service_.HoldInferences();
  Open();
  ASSERT_TRUE(Send("a"));
  ASSERT_TRUE(Send("b"));
  std::vector<FakeInferenceService::Held> held;
  for (int i = 0; i < 2; ++i) held.push_back(service_.Take());
  EXPECT_FALSE(held[0].request.cancelled());
  context_.TryCancel();
  ExpectEnd(grpc::StatusCode::CANCELLED);
  while (!held[0].request.cancelled() || !held[1].request.cancelled()) std::this_thread::yield();
  held[0].callback(EchoOf(held[0].request));
  held[1].callback(Refuse(RefusalReason::kCancelled, "gone"));
  held.clear();
  ExpectNothingInFlight();
}

TEST_F(InferStreamTest, DeadlineAndStreamNameHoldForEachRequest) {
  Serve();
  service_.HoldInferences();
  context_.AddMetadata("waystone-stream", "camera");
  Open();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(Send("a"));
    const FakeInferenceService::Held held = service_.Take();
    EXPECT_EQ(held.request.stream, "camera");
    EXPECT_FALSE(held.request.deadline.is_never());
    held.callback(EchoOf(held.request));
    Receive();
  }
}

TEST_F(InferStreamTest, TheEmptyFinalResponseMayBeAskedFor) {
  Serve();
  Open();
  ModelInferRequest request = RawRequest("m", "data", "a");
  (*request.mutable_parameters())[kEmptyFinalResponse].set_bool_param(true);
  ASSERT_TRUE(stream_->Write(request));
  ExpectAnswer(Receive(), "a");
}

}  // namespace
}  // namespace waystone
