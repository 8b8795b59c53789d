// SPDX-License-Identifier: Apache-2.0
#include "grpc/grpc_server.h"

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>

#include "grpc/testing/grpc_server_fixture.h"

namespace waystone {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class GrpcServerTest : public GrpcServerFixture {};

void ExpectBadOption(const GrpcServerOptions& options, const std::string& text) {
  FakeInferenceService service;
  const absl::StatusOr<std::unique_ptr<GrpcServer>> server = GrpcServer::Create(options, service);
  EXPECT_EQ(server.status().code(), absl::StatusCode::kInvalidArgument) << server.status();
  EXPECT_THAT(std::string(server.status().message()), HasSubstr(text));
}

TEST_F(GrpcServerTest, OptionsOutOfRangeAreNamed) {
  ExpectBadOption({.address = "nowhere"}, "'nowhere' is no IPv4 or IPv6 address");
  ExpectBadOption({.max_message_bytes = 0}, "max_message_bytes is 0");
  ExpectBadOption({.max_message_bytes = uint64_t{1} << 31}, "max_message_bytes is 2147483648");
  ExpectBadOption({.max_parsed_bytes = 0}, "max_parsed_bytes");
  ExpectBadOption({.max_metadata_bytes = 1}, "max_metadata_bytes");
  ExpectBadOption({.max_requests_in_flight = 0}, "max_requests_in_flight");
  ExpectBadOption({.max_requests_per_stream = 0}, "max_requests_per_stream");
  ExpectBadOption({.max_calls_per_connection = 0}, "max_calls_per_connection");
  ExpectBadOption({.health_interval = Duration::zero()}, "health_interval");
  ExpectBadOption({.keepalive_time = Duration::zero()}, "keepalive_time");
  ExpectBadOption({.keepalive_timeout = Duration::zero()}, "keepalive_timeout");
  ExpectBadOption({.min_ping_interval = Duration::zero()}, "min_ping_interval");
  ExpectBadOption({.max_connection_idle = Duration::zero()}, "max_connection_idle");
}

TEST_F(GrpcServerTest, APortThatIsTakenIsRefused) {
  Serve();
  FakeInferenceService service;
  const auto second = GrpcServer::Create({.port = server_->port()}, service);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(std::to_string(server_->port())));
}

TEST_F(GrpcServerTest, AServerThatNeverStartedStops) {
  const auto server = GrpcServer::Create({}, service_);
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_GT((*server)->port(), 0);
  EXPECT_TRUE((*server)->Stop(seconds(60)));
}

TEST_F(GrpcServerTest, StopIsIdempotentAndMayBeCalledByMany) {
  Serve();
  std::future<bool> other = std::async(std::launch::async, [this] { return server_->Stop(seconds(60)); });
  EXPECT_TRUE(server_->Stop(seconds(60)));
  EXPECT_TRUE(other.get());
  server_->Start();  // does not come back to life
  inference::ModelInferResponse response;
  EXPECT_EQ(Infer(RawRequest("m", "a"), response).error_code(), grpc::StatusCode::UNAVAILABLE);
}

// S38: what was accepted ends with its real result, what comes later is told why it is refused; nothing is
// CANCELLED.
TEST_F(GrpcServerTest, S38AStopLetsAcceptedCallsEndWithTheirResult) {
  Serve();
  service_.HoldInferences();
  constexpr int kCalls = 20;
  std::vector<std::future<grpc::Status>> calls;
  std::vector<FakeInferenceService::Held> held;
  for (int i = 0; i < kCalls; ++i) {
    calls.push_back(std::async(std::launch::async, [this] {
      inference::ModelInferResponse response;
      return Infer(RawRequest("m", "a"), response);
    }));
    held.push_back(service_.Take());
  }
  std::future<bool> stop = std::async(std::launch::async, [this] { return server_->Stop(seconds(60)); });
  AwaitStopping();
  grpc::ClientContext context;
  SetPatience(context);
  inference::ModelInferResponse response;
  EXPECT_EQ(stub_->ModelInfer(&context, RawRequest("m", "late"), &response).error_code(),
            grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(TrailingMetadata(context, kRefusalKey), "draining");
  for (FakeInferenceService::Held& one : held) one.callback(EchoOf(one.request));
  held.clear();
  for (std::future<grpc::Status>& call : calls) {
    const grpc::Status status = call.get();
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
  EXPECT_TRUE(stop.get());
  EXPECT_EQ(server_->stats().requests, static_cast<uint64_t>(kCalls));
  EXPECT_EQ(server_->stats().requests_refused, 1u);
  EXPECT_EQ(server_->stats().cut_off, 0u);
}

TEST_F(GrpcServerTest, CallsThatDoNotEndInTimeAreCutOff) {
  Serve();
  service_.HoldInferences();
  std::future<grpc::Status> call = std::async(std::launch::async, [this] {
    inference::ModelInferResponse response;
    return Infer(RawRequest("m", "a"), response);
  });
  FakeInferenceService::Held held = service_.Take();
  EXPECT_FALSE(server_->Stop(milliseconds(20)));
  EXPECT_FALSE(call.get().ok());
  EXPECT_TRUE(held.request.cancelled());
  EXPECT_EQ(server_->stats().cut_off, 1u);
  server_.reset();
  held.callback(EchoOf(held.request));  // nobody is there
}

TEST_F(GrpcServerTest, AnswersThatRaceWithTheEndAreSafe) {
  service_.HoldInferences();
  for (int round = 0; round < 20; ++round) {
    Serve();
    std::vector<std::future<grpc::Status>> calls;
    std::vector<FakeInferenceService::Held> held;
    for (int i = 0; i < 4; ++i) {
      calls.push_back(std::async(std::launch::async, [this] {
        inference::ModelInferResponse response;
        return Infer(RawRequest("m", "a"), response);
      }));
      held.push_back(service_.Take());
    }
    std::thread answering([&held] {
      for (FakeInferenceService::Held& one : held) one.callback(EchoOf(one.request));
    });
    server_->Stop(Duration::zero());
    for (std::future<grpc::Status>& call : calls) call.wait();
    server_.reset();
    answering.join();
  }
}

TEST_F(GrpcServerTest, MetadataHaveALimit) {
  Serve({.max_metadata_bytes = 4096});
  grpc::ClientContext context;
  SetPatience(context);
  context.AddMetadata("waystone-stream", std::string(5000, 'x'));
  inference::ModelInferResponse response;
  EXPECT_EQ(stub_->ModelInfer(&context, RawRequest("m", "a"), &response).error_code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(GrpcServerTest, StreamNamesHaveALimit) {
  GrpcServerOptions options;
  options.infer.max_name_bytes = 8;
  Serve(options);
  for (const size_t bytes : {8u, 9u}) {
    grpc::ClientContext context;
    SetPatience(context);
    context.AddMetadata("waystone-stream", std::string(bytes, 'x'));
    inference::ModelInferResponse response;
    EXPECT_EQ(stub_->ModelInfer(&context, RawRequest("m", "a"), &response).error_code(),
              bytes == 8 ? grpc::StatusCode::OK : grpc::StatusCode::OUT_OF_RANGE);
  }
}

// The calls of one connection beyond its limit wait in the client for those before them.
TEST_F(GrpcServerTest, AConnectionHasALimitOfCalls) {
  Serve({.max_calls_per_connection = 1});
  service_.HoldInferences();
  const auto infer = [this] {
    inference::ModelInferResponse response;
    return Infer(RawRequest("m", "a"), response);
  };
  inference::ServerLiveResponse live;
  grpc::ClientContext context;
  ASSERT_TRUE(stub_->ServerLive(&context, {}, &live).ok());  // the limit has reached the client
  std::future<grpc::Status> first = std::async(std::launch::async, infer);
  FakeInferenceService::Held held = service_.Take();
  std::future<grpc::Status> second = std::async(std::launch::async, infer);
  EXPECT_EQ(server_->stats().requests_in_flight, 1u);
  held.callback(EchoOf(held.request));
  EXPECT_TRUE(first.get().ok());
  held = service_.Take();
  held.callback(EchoOf(held.request));
  EXPECT_TRUE(second.get().ok());
}

TEST_F(GrpcServerTest, ListensOnIpv6) {
  GrpcServerOptions options;
  options.address = "::1";
  const auto server = GrpcServer::Create(options, service_);
  if (!server.ok()) GTEST_SKIP() << "no IPv6 loopback here: " << server.status();
  EXPECT_GT((*server)->port(), 0);
}

// ListServicesResponse of grpc.reflection.v1alpha, read as bytes: its own contract is not among ours.
TEST_F(GrpcServerTest, ReflectionListsTheServices) {
  Serve();
  grpc::GenericStub generic(channel_);
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  SetPatience(context);
  const auto call =
      generic.PrepareCall(&context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  void* tag = nullptr;
  bool ok = false;
  call->StartCall(nullptr);
  ASSERT_TRUE(queue.Next(&tag, &ok) && ok);
  const grpc::Slice ask("\x3a\x01*");  // list_services = 7
  call->WriteLast(grpc::ByteBuffer(&ask, 1), grpc::WriteOptions(), nullptr);
  ASSERT_TRUE(queue.Next(&tag, &ok) && ok);
  grpc::ByteBuffer answer;
  call->Read(&answer, nullptr);
  ASSERT_TRUE(queue.Next(&tag, &ok) && ok);
  std::vector<grpc::Slice> slices;
  ASSERT_TRUE(answer.Dump(&slices).ok());
  std::string bytes;
  for (const grpc::Slice& slice : slices) bytes.append(slice.begin(), slice.end());
  EXPECT_THAT(bytes, HasSubstr("inference.GRPCInferenceService"));
  EXPECT_THAT(bytes, HasSubstr("grpc.health.v1.Health"));
  grpc::Status status;
  call->Finish(&status, nullptr);
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_TRUE(status.ok()) << status.error_message();
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
}

}  // namespace
}  // namespace waystone
