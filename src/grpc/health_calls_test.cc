// SPDX-License-Identifier: Apache-2.0
#include "grpc/health_calls.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "grpc/testing/grpc_server_fixture.h"

namespace waystone {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using std::chrono::milliseconds;
using std::chrono::seconds;

class HealthCallsTest : public GrpcServerFixture {
 protected:
  using WatchStream = grpc::ClientReader<HealthCheckResponse>;

  void ServeHealth(const GrpcServerOptions& options) {
    Serve(options);
    health_ = Health::NewStub(channel_);
  }
  grpc::Status Check(const std::string& name, HealthCheckResponse& response) {
    grpc::ClientContext context;
    SetPatience(context);
    HealthCheckRequest request;
    request.set_service(name);
    return health_->Check(&context, request, &response);
  }
  std::unique_ptr<WatchStream> Watch(grpc::ClientContext& context, const std::string& name) {
    SetPatience(context);
    HealthCheckRequest request;
    request.set_service(name);
    return health_->Watch(&context, request);
  }
  static HealthCheckResponse::ServingStatus Next(WatchStream& watch) {
    HealthCheckResponse response;
    EXPECT_TRUE(watch.Read(&response));
    return response.status();
  }

  std::unique_ptr<Health::Stub> health_;
};

TEST_F(HealthCallsTest, ChecksTheServerTheServiceAndModels) {
  ServeHealth({});
  service_.model_ready = absl::NotFoundError("no such model");
  service_.SetModelReady("ready", true);
  service_.SetModelReady("loading", absl::UnavailableError("loading"));
  service_.SetModelReady("failed", false);
  HealthCheckResponse response;
  for (const char* name : {"", "inference.GRPCInferenceService", "ready"}) {
    ASSERT_TRUE(Check(name, response).ok()) << name;
    EXPECT_EQ(response.status(), HealthCheckResponse::SERVING) << name;
  }
  for (const char* name : {"loading", "failed"}) {
    ASSERT_TRUE(Check(name, response).ok()) << name;
    EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING) << name;
  }
  EXPECT_EQ(Check("unknown", response).error_code(), grpc::StatusCode::NOT_FOUND);
  service_.server_ready = false;
  ASSERT_TRUE(Check("", response).ok());
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
}

TEST_F(HealthCallsTest, AServerThatHasNotStartedIsNotServing) {
  absl::StatusOr<std::unique_ptr<GrpcServer>> server = GrpcServer::Create({}, service_);
  ASSERT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
  health_ = Health::NewStub(Connect());
  stub_ = inference::GRPCInferenceService::NewStub(Connect());
  HealthCheckResponse response;
  ASSERT_TRUE(Check("", response).ok());
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  inference::ModelInferResponse unused;
  EXPECT_EQ(Infer(RawRequest("m", "a"), unused).error_code(), grpc::StatusCode::UNAVAILABLE);
  server_->Start();
  ASSERT_TRUE(Check("", response).ok());
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
}

TEST_F(HealthCallsTest, WatchTellsTheStateAndEachChange) {
  ServeHealth({.health_interval = milliseconds(2)});
  service_.model_ready = absl::NotFoundError("no such model");
  grpc::ClientContext context;
  const auto watch = Watch(context, "later");
  EXPECT_EQ(Next(*watch), HealthCheckResponse::SERVICE_UNKNOWN);
  service_.SetModelReady("later", absl::UnavailableError("loading"));
  EXPECT_EQ(Next(*watch), HealthCheckResponse::NOT_SERVING);
  service_.SetModelReady("later", true);
  EXPECT_EQ(Next(*watch), HealthCheckResponse::SERVING);
  service_.SetModelReady("later", absl::NotFoundError("gone"));
  EXPECT_EQ(Next(*watch), HealthCheckResponse::SERVICE_UNKNOWN);
}

TEST_F(HealthCallsTest, AStopIsToldAtOnceAndEndsTheWatch) {
  ServeHealth({.health_interval = seconds(3600)});
  grpc::ClientContext context;
  const auto watch = Watch(context, "");
  EXPECT_EQ(Next(*watch), HealthCheckResponse::SERVING);
  EXPECT_TRUE(server_->Stop(seconds(60)));
  EXPECT_EQ(Next(*watch), HealthCheckResponse::NOT_SERVING);
  HealthCheckResponse response;
  EXPECT_FALSE(watch->Read(&response));
  EXPECT_EQ(watch->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(TrailingMetadata(context, kRefusalKey), "draining");
}

TEST_F(HealthCallsTest, AWatchEndsWithItsClient) {
  ServeHealth({.health_interval = milliseconds(2)});
  grpc::ClientContext context;
  const auto watch = Watch(context, "");
  EXPECT_EQ(Next(*watch), HealthCheckResponse::SERVING);
  EXPECT_EQ(server_->stats().health_watches_open, 1u);
  context.TryCancel();
  EXPECT_EQ(watch->Finish().error_code(), grpc::StatusCode::CANCELLED);
  while (server_->stats().health_watches_open > 0) std::this_thread::yield();
}

TEST_F(HealthCallsTest, WatchesHaveALimit) {
  ServeHealth({.max_health_watches = 1});
  grpc::ClientContext context;
  const auto watch = Watch(context, "");
  EXPECT_EQ(Next(*watch), HealthCheckResponse::SERVING);
  grpc::ClientContext second_context;
  const auto second = Watch(second_context, "");
  HealthCheckResponse response;
  EXPECT_FALSE(second->Read(&response));
  EXPECT_EQ(second->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(TrailingMetadata(second_context, kRefusalKey), "queue_full");
}

TEST_F(HealthCallsTest, RandomCancellationsLeaveNoWatch) {
  ServeHealth({.health_interval = milliseconds(1)});
  std::thread flapping([this] {
    for (int i = 0; i < 2000; ++i) service_.server_ready = i % 2 == 0;
  });
  for (int i = 0; i < 200; ++i) {
    grpc::ClientContext context;
    const auto watch = Watch(context, "");
    HealthCheckResponse response;
    if (i % 2 == 0) {
      EXPECT_TRUE(watch->Read(&response));
    }
    context.TryCancel();
    (void)watch->Finish();
  }
  flapping.join();
  while (server_->stats().health_watches_open > 0) std::this_thread::yield();
}

}  // namespace
}  // namespace waystone
