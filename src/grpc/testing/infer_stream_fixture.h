// SPDX-License-Identifier: Apache-2.0
//
// What the tests of ModelStreamInfer share: one stream to a running server.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <grpcpp/support/sync_stream.h>

#include "grpc/infer_codec.h"
#include "grpc/testing/grpc_server_fixture.h"

namespace waystone {

class InferStreamFixture : public GrpcServerFixture {
 protected:
  using ClientStream =
      grpc::ClientReaderWriter<inference::ModelInferRequest, inference::ModelStreamInferResponse>;

  void Open() {
    SetPatience(context_);
    stream_ = stub_->ModelStreamInfer(&context_);
  }
  bool Send(const std::string& id, std::string bytes = "data") {
    return stream_->Write(RawRequest("m", std::move(bytes), id));
  }
  inference::ModelStreamInferResponse Receive() {
    inference::ModelStreamInferResponse response;
    if (!stream_->Read(&response)) {
      const grpc::Status status = stream_->Finish();
      ADD_FAILURE() << "the stream ended: " << status.error_code() << " " << status.error_message();
    }
    return response;
  }
  void ExpectEnd(grpc::StatusCode code) {
    inference::ModelStreamInferResponse response;
    EXPECT_FALSE(stream_->Read(&response));
    const grpc::Status status = stream_->Finish();
    EXPECT_EQ(status.error_code(), code) << status.error_message();
  }
  static void ExpectAnswer(const inference::ModelStreamInferResponse& response, const std::string& id,
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

}  // namespace waystone
