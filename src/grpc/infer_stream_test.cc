// SPDX-License-Identifier: Apache-2.0
//
// ModelStreamInfer against a running server.
#include "grpc/infer_stream.h"

#include <atomic>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <grpcpp/support/sync_stream.h>

#include "base/mutex.h"
#include "grpc/testing/grpc_server_fixture.h"
#include "types/refusal.h"

namespace waystone {
namespace {

using inference::ModelInferRequest;
using inference::ModelStreamInferResponse;
using std::chrono::seconds;
using testing::HasSubstr;

class InferStreamTest : public GrpcServerFixture {
 protected:
  using ClientStream = grpc::ClientReaderWriter<ModelInferRequest, ModelStreamInferResponse>;

  void Open() {
    SetPatience(context_);
    stream_ = stub_->ModelStreamInfer(&context_);
  }
  bool Send(const std::string& id, std::string bytes = "data") {
    return stream_->Write(RawRequest("m", std::move(bytes), id));
  }
  ModelStreamInferResponse Receive() {
    ModelStreamInferResponse response;
    if (!stream_->Read(&response)) {
      const grpc::Status status = stream_->Finish();
      ADD_FAILURE() << "the stream ended: " << status.error_code() << " " << status.error_message();
    }
    return response;
  }
  void ExpectEnd(grpc::StatusCode code) {
    ModelStreamInferResponse response;
    EXPECT_FALSE(stream_->Read(&response));
    const grpc::Status status = stream_->Finish();
    EXPECT_EQ(status.error_code(), code) << status.error_message();
  }
  static void ExpectAnswer(const ModelStreamInferResponse& response, const std::string& id,
                           const std::string& data = "data") {
    EXPECT_EQ(response.error_message(), "");
    EXPECT_EQ(response.infer_response().id(), id);
    EXPECT_THAT(response.infer_response().raw_output_contents(), testing::ElementsAre(data));
    const auto& parameters = response.infer_response().parameters();
    ASSERT_TRUE(parameters.contains(kFinalResponse));
    EXPECT_TRUE(parameters.at(kFinalResponse).bool_param());
  }

  grpc::ClientContext context_;
  std::unique_ptr<ClientStream> stream_;
};

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

// A client that sends without end has no more than the limit in work; the rest waits on its side.
TEST_F(InferStreamTest, NoMoreThanTheLimitIsReadAhead) {
  constexpr size_t kLimit = 3;
  Serve({.max_requests_per_stream = kLimit});
  service_.HoldInferences();
  Open();
  const int total = 50;
  std::thread sender([this] {
    for (int i = 0; i < total; ++i) EXPECT_TRUE(Send(std::to_string(i)));
    stream_->WritesDone();
  });
  for (int i = 0; i < total; ++i) {
    FakeInferenceService::Held held = service_.Take();
    EXPECT_LT(service_.held(), kLimit);
    EXPECT_LE(server_->stats().requests_in_flight, kLimit);
    held.callback(EchoOf(held.request));
    held = {};
    ExpectAnswer(Receive(), std::to_string(i));
  }
  sender.join();
  ExpectEnd(grpc::StatusCode::OK);
}

TEST_F(InferStreamTest, RequestsOfStreamsCountAmongTheServers) {
  Serve({.max_requests_in_flight = 1});
  service_.HoldInferences();
  Open();
  ASSERT_TRUE(Send("first"));
  const FakeInferenceService::Held held = service_.Take();
  ASSERT_TRUE(Send("second"));
  inference::ModelInferResponse unary;
  EXPECT_EQ(Infer(RawRequest("m", "x"), unary).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  while (server_->stats().requests_refused < 2) std::this_thread::yield();
  held.callback(EchoOf(held.request));
  ExpectAnswer(Receive(), "first");
  const ModelStreamInferResponse refused = Receive();
  EXPECT_EQ(refused.infer_response().id(), "second");
  EXPECT_EQ(refused.infer_response().parameters().at(kRefusalParameter).string_param(), "queue_full");
}

TEST_F(InferStreamTest, StreamsHaveALimit) {
  Serve({.max_streams = 1});
  Open();
  ASSERT_TRUE(Send("a"));
  ExpectAnswer(Receive(), "a");
  grpc::ClientContext context;
  SetPatience(context);
  const auto second = stub_->ModelStreamInfer(&context);
  ModelStreamInferResponse response;
  EXPECT_FALSE(second->Read(&response));
  const grpc::Status status = second->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(TrailingMetadata(context, kRefusalKey), "queue_full");
  stream_->WritesDone();
  ExpectEnd(grpc::StatusCode::OK);
}

TEST_F(InferStreamTest, S50AMessageOverTheLimitEndsTheStreamWithTheLimit) {
  Serve({.max_message_bytes = 10'000});
  Open();
  ASSERT_TRUE(Send("a", std::string(9'000, 'x')));
  ExpectAnswer(Receive(), "a", std::string(9'000, 'x'));
  (void)Send("b", std::string(11'000, 'x'));
  ModelStreamInferResponse response;
  EXPECT_FALSE(stream_->Read(&response));
  const grpc::Status status = stream_->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
  EXPECT_THAT(status.error_message(), HasSubstr("10000"));
}

TEST_F(InferStreamTest, S38AStopEndsTheStreamOnceWhatWasReadIsAnswered) {
  Serve();
  service_.HoldInferences();
  Open();
  ASSERT_TRUE(Send("a"));
  FakeInferenceService::Held held = service_.Take();
  std::thread stop([this] { EXPECT_TRUE(server_->Stop(seconds(60))); });
  AwaitStopping();
  held.callback(EchoOf(held.request));
  held = {};
  ExpectAnswer(Receive(), "a");
  ExpectEnd(grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(TrailingMetadata(context_, kRefusalKey), "draining");
  stop.join();
}

TEST_F(InferStreamTest, AnIdleStreamEndsWithTheStop) {
  Serve();
  Open();
  ASSERT_TRUE(Send("a"));
  ExpectAnswer(Receive(), "a");
  EXPECT_TRUE(server_->Stop(seconds(60)));
  ExpectEnd(grpc::StatusCode::UNAVAILABLE);
}

TEST_F(InferStreamTest, AnAnswerMayOutliveTheServer) {
  Serve();
  service_.HoldInferences();
  Open();
  ASSERT_TRUE(Send("a"));
  FakeInferenceService::Held held = service_.Take();
  EXPECT_FALSE(server_->Stop(Duration::zero()));
  EXPECT_EQ(server_->stats().cut_off, 1u);
  server_.reset();
  EXPECT_TRUE(held.request.cancelled());
  held.callback(EchoOf(held.request));
}

// H17: streams that are cancelled at any time while their requests are answered by another thread.
TEST_F(InferStreamTest, H17RandomCancellationsOfStreamsLeaveNothing) {
  Serve({.max_requests_per_stream = 4});
  service_.HoldInferences();
  std::atomic<bool> done{false};
  std::thread worker([&] {
    while (!done || service_.held() > 0) {
      if (service_.held() == 0) {
        std::this_thread::yield();
        continue;
      }
      const FakeInferenceService::Held held = service_.Take();
      held.callback(EchoOf(held.request));
    }
  });
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    grpc::ClientContext context;
    SetPatience(context);
    if (round % 3 == 0) context.AddMetadata(kStrictErrorsKey, "true");
    const auto stream = stub_->ModelStreamInfer(&context);
    const unsigned sends = random() % 12;
    const unsigned reads = random() % (sends + 1);
    for (unsigned i = 0; i < sends; ++i) {
      if (!stream->Write(RawRequest("m", "x", absl::StrCat(i)))) break;
    }
    ModelStreamInferResponse response;
    for (unsigned i = 0; i < reads && i < 4; ++i) {
      if (!stream->Read(&response)) break;
    }
    context.TryCancel();
    (void)stream->Finish();
  }
  done = true;
  worker.join();
  ExpectNothingInFlight();
  EXPECT_TRUE(server_->Stop(seconds(60)));
  EXPECT_EQ(server_->stats().streams_open, 0u);
}

}  // namespace
}  // namespace waystone
