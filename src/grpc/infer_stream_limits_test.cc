// SPDX-License-Identifier: Apache-2.0
//
// ModelStreamInfer at its limits: reading ahead, too many, too large, a stop, clients that leave.
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>

#include "grpc/infer_stream.h"
#include "grpc/testing/infer_stream_fixture.h"

namespace waystone {
namespace {

using inference::ModelStreamInferResponse;
using std::chrono::seconds;
using testing::HasSubstr;

class InferStreamLimitsTest : public InferStreamFixture {};

// A client that sends without end has no more than the limit in work; the rest waits on its side.
TEST_F(InferStreamLimitsTest, NoMoreThanTheLimitIsReadAhead) {
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

TEST_F(InferStreamLimitsTest, RequestsOfStreamsCountAmongTheServers) {
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

TEST_F(InferStreamLimitsTest, StreamsHaveALimit) {
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

TEST_F(InferStreamLimitsTest, S50AMessageOverTheLimitEndsTheStreamWithTheLimit) {
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

TEST_F(InferStreamLimitsTest, S38AStopEndsTheStreamOnceWhatWasReadIsAnswered) {
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

TEST_F(InferStreamLimitsTest, AnIdleStreamEndsWithTheStop) {
  Serve();
  Open();
  ASSERT_TRUE(Send("a"));
  ExpectAnswer(Receive(), "a");
  EXPECT_TRUE(server_->Stop(seconds(60)));
  ExpectEnd(grpc::StatusCode::UNAVAILABLE);
}

TEST_F(InferStreamLimitsTest, AnAnswerMayOutliveTheServer) {
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
TEST_F(InferStreamLimitsTest, H17RandomCancellationsOfStreamsLeaveNothing) {
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
