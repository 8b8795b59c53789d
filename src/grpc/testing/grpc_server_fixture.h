// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the gRPC server share: a server on a free port of loopback over a FakeInferenceService,
// and a client of it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include "grpc/call_status.h"
#include "grpc/grpc_server.h"
#include "grpc/testing/fake_inference_service.h"
#include "proto/grpc_service.grpc.pb.h"

namespace waystone {

// Nothing a test waits for takes this long unless it is broken.
inline constexpr std::chrono::seconds kTestPatience{60};

class GrpcServerFixture : public testing::Test {
 protected:
  using Stub = inference::GRPCInferenceService::Stub;

  void Serve(const GrpcServerOptions& options = {}) {
    absl::StatusOr<std::unique_ptr<GrpcServer>> server = GrpcServer::Create(options, service_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    server_->Start();
    channel_ = Connect();
    stub_ = inference::GRPCInferenceService::NewStub(channel_);
  }

  // A connection of its own.
  std::shared_ptr<grpc::Channel> Connect() const {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    arguments.SetMaxSendMessageSize(-1);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    return grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(server_->port()),
                                     grpc::InsecureChannelCredentials(), arguments);
  }

  static void SetPatience(grpc::ClientContext& context) {
    context.set_deadline(std::chrono::system_clock::now() + kTestPatience);
  }

  // A request of one UINT8 tensor of `bytes` elements in raw form.
  static inference::ModelInferRequest RawRequest(const std::string& model, std::string bytes,
                                                 const std::string& id = "") {
    inference::ModelInferRequest request;
    request.set_model_name(model);
    request.set_id(id);
    auto& input = *request.add_inputs();
    input.set_name("in");
    input.set_datatype("UINT8");
    input.add_shape(static_cast<int64_t>(bytes.size()));
    request.add_raw_input_contents(std::move(bytes));
    return request;
  }

  grpc::Status Infer(const inference::ModelInferRequest& request, inference::ModelInferResponse& response) {
    grpc::ClientContext context;
    SetPatience(context);
    return stub_->ModelInfer(&context, request, &response);
  }

  // Waits until a stop has begun.
  void AwaitStopping() {
    inference::ServerReadyResponse response;
    do {
      grpc::ClientContext context;
      SetPatience(context);
      ASSERT_TRUE(stub_->ServerReady(&context, {}, &response).ok());
    } while (response.ready());
  }

  // Waits until the server has nothing in work any more.
  void ExpectNothingInFlight() {
    const auto until = std::chrono::steady_clock::now() + kTestPatience;
    while (server_->stats().requests_in_flight > 0 && std::chrono::steady_clock::now() < until) {
      std::this_thread::yield();
    }
    EXPECT_EQ(server_->stats().requests_in_flight, 0u);
    EXPECT_EQ(server_->stats().bytes_in_flight, 0u);
  }

  FakeInferenceService service_;  // outlives the server
  std::unique_ptr<GrpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<Stub> stub_;
};

// The trailing metadata of a call, "" where there is none.
inline std::string TrailingMetadata(const grpc::ClientContext& context, const char* key) {
  const auto& metadata = context.GetServerTrailingMetadata();
  const auto found = metadata.find(key);
  return found == metadata.end() ? "" : std::string(found->second.data(), found->second.size());
}

}  // namespace waystone
