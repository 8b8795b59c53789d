// SPDX-License-Identifier: Apache-2.0
//
// The calls for metadata, statistics, settings and control of the repository against a running server.
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "grpc/testing/grpc_server_fixture.h"
#include "proto/model_config.pb.h"

namespace waystone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ControlCallsTest : public GrpcServerFixture {
 protected:
  ControlCallsTest() { Serve(); }

  // Calls one method of the stub.
  template <typename Method, typename Request, typename Response>
  grpc::Status Call(Method method, const Request& request, Response& response) {
    grpc::ClientContext context;
    SetPatience(context);
    return (stub_.get()->*method)(&context, request, &response);
  }
};

TEST_F(ControlCallsTest, ServerLiveAndReadyAreTheServices) {
  inference::ServerLiveResponse live;
  inference::ServerReadyResponse ready;
  EXPECT_TRUE(Call(&Stub::ServerLive, inference::ServerLiveRequest(), live).ok());
  EXPECT_TRUE(Call(&Stub::ServerReady, inference::ServerReadyRequest(), ready).ok());
  EXPECT_TRUE(live.live() && ready.ready());
  service_.server_live = false;
  service_.server_ready = false;
  EXPECT_TRUE(Call(&Stub::ServerLive, inference::ServerLiveRequest(), live).ok());
  EXPECT_TRUE(Call(&Stub::ServerReady, inference::ServerReadyRequest(), ready).ok());
  EXPECT_FALSE(live.live() || ready.ready());
}

TEST_F(ControlCallsTest, ModelReadyTellsOrFails) {
  inference::ModelReadyRequest request;
  request.set_name("m");
  inference::ModelReadyResponse response;
  EXPECT_TRUE(Call(&Stub::ModelReady, request, response).ok());
  EXPECT_TRUE(response.ready());
  service_.model_ready = false;
  EXPECT_TRUE(Call(&Stub::ModelReady, request, response).ok());
  EXPECT_FALSE(response.ready());
  service_.model_ready = absl::NotFoundError("no model 'm'");
  EXPECT_EQ(Call(&Stub::ModelReady, request, response).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(ControlCallsTest, ServerMetadata) {
  inference::ServerMetadataResponse response;
  ASSERT_TRUE(Call(&Stub::ServerMetadata, inference::ServerMetadataRequest(), response).ok());
  EXPECT_EQ(response.name(), "waystone");
  EXPECT_EQ(response.version(), "0.1");
  EXPECT_THAT(response.extensions(), ElementsAre("binary_tensor_data"));
}

TEST_F(ControlCallsTest, ModelMetadata) {
  inference::ModelMetadataResponse response;
  EXPECT_EQ(Call(&Stub::ModelMetadata, inference::ModelMetadataRequest(), response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  service_.model_metadata = ModelMetadata{.name = "m",
                                          .versions = {"1", "2"},
                                          .platform = "onnxruntime_onnx",
                                          .inputs = {{"in", "FP32", {-1, 3}}},
                                          .outputs = {{"out", "BYTES", {}}}};
  ASSERT_TRUE(Call(&Stub::ModelMetadata, inference::ModelMetadataRequest(), response).ok());
  EXPECT_EQ(response.name(), "m");
  EXPECT_THAT(response.versions(), ElementsAre("1", "2"));
  EXPECT_EQ(response.platform(), "onnxruntime_onnx");
  EXPECT_EQ(response.inputs(0).name(), "in");
  EXPECT_EQ(response.inputs(0).datatype(), "FP32");
  EXPECT_THAT(response.inputs(0).shape(), ElementsAre(-1, 3));
  EXPECT_EQ(response.outputs(0).datatype(), "BYTES");
}

TEST_F(ControlCallsTest, ModelConfig) {
  auto config = std::make_shared<inference::ModelConfig>();
  config->set_name("m");
  config->set_max_batch_size(8);
  config->mutable_dynamic_batching();
  service_.config = config;
  inference::ModelConfigResponse response;
  ASSERT_TRUE(Call(&Stub::ModelConfig, inference::ModelConfigRequest(), response).ok());
  EXPECT_EQ(response.config().name(), "m");
  EXPECT_EQ(response.config().max_batch_size(), 8);
  EXPECT_TRUE(response.config().has_dynamic_batching());
}

TEST_F(ControlCallsTest, ModelStatistics) {
  ModelStatistics model;
  model.name = "m";
  model.version = "1";
  model.last_inference_ms = 1'700'000'000'000;
  model.inference_count = 10;
  model.execution_count = 4;
  model.success = {1, 10};
  model.fail = {2, 20};
  model.queue = {3, 30};
  model.compute_input = {4, 40};
  model.compute_infer = {5, 50};
  model.compute_output = {6, 60};
  model.cache_hit = {7, 70};
  model.cache_miss = {8, 80};
  model.batches = {
      {.batch_size = 2, .compute_input = {1, 1}, .compute_infer = {2, 2}, .compute_output = {3, 3}}};
  model.memory_bytes = 4096;
  service_.statistics = std::vector<ModelStatistics>{model, {}};
  inference::ModelStatisticsResponse response;
  ASSERT_TRUE(Call(&Stub::ModelStatistics, inference::ModelStatisticsRequest(), response).ok());
  ASSERT_EQ(response.model_stats_size(), 2);
  const inference::ModelStatistics& told = response.model_stats(0);
  EXPECT_EQ(told.last_inference(), 1'700'000'000'000u);
  EXPECT_EQ(told.inference_count(), 10u);
  EXPECT_EQ(told.execution_count(), 4u);
  EXPECT_EQ(told.inference_stats().success().ns(), 10u);
  EXPECT_EQ(told.inference_stats().fail().ns(), 20u);
  EXPECT_EQ(told.inference_stats().queue().ns(), 30u);
  EXPECT_EQ(told.inference_stats().compute_input().ns(), 40u);
  EXPECT_EQ(told.inference_stats().compute_infer().ns(), 50u);
  EXPECT_EQ(told.inference_stats().compute_output().ns(), 60u);
  EXPECT_EQ(told.inference_stats().cache_hit().count(), 7u);
  EXPECT_EQ(told.inference_stats().cache_miss().count(), 8u);
  EXPECT_EQ(told.batch_stats(0).batch_size(), 2u);
  EXPECT_EQ(told.batch_stats(0).compute_infer().count(), 2u);
  EXPECT_EQ(told.memory_usage(0).type(), "CPU");
  EXPECT_EQ(told.memory_usage(0).byte_size(), 4096u);
  EXPECT_EQ(response.model_stats(1).memory_usage_size(), 0);
}

TEST_F(ControlCallsTest, RepositoryIndex) {
  service_.index = {{"m", "1", ModelState::kReady, ""},
                    {"m", "2", ModelState::kUnavailable, "does not load"},
                    {"known", "", ModelState::kUnknown, ""}};
  inference::RepositoryIndexRequest request;
  inference::RepositoryIndexResponse response;
  ASSERT_TRUE(Call(&Stub::RepositoryIndex, request, response).ok());
  ASSERT_EQ(response.models_size(), 3);
  EXPECT_EQ(response.models(0).state(), "READY");
  EXPECT_EQ(response.models(1).reason(), "does not load");
  EXPECT_EQ(response.models(2).name(), "known");
  EXPECT_EQ(response.models(2).state(), "");
  request.set_ready(true);
  ASSERT_TRUE(Call(&Stub::RepositoryIndex, request, response).ok());
  EXPECT_EQ(response.models_size(), 1);
  request.set_repository_name("r");
  EXPECT_EQ(Call(&Stub::RepositoryIndex, request, response).error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(ControlCallsTest, LoadTakesConfigAndFiles) {
  inference::RepositoryModelLoadRequest request;
  request.set_model_name("m");
  auto& parameters = *request.mutable_parameters();
  parameters["config"].set_string_param("{}");
  parameters["file:1/model.onnx"].set_bytes_param(std::string("\xff\0", 2));
  parameters["flag"].set_bool_param(true);
  parameters["number"].set_int64_param(-1);
  inference::RepositoryModelLoadResponse response;
  ASSERT_TRUE(Call(&Stub::RepositoryModelLoad, request, response).ok());
  EXPECT_EQ(service_.asked_model, "m");
  EXPECT_EQ(std::get<std::string>(service_.asked_parameters.at("config")), "{}");
  EXPECT_EQ(std::get<RepositoryBytes>(service_.asked_parameters.at("file:1/model.onnx")).bytes,
            std::string("\xff\0", 2));
  EXPECT_EQ(std::get<bool>(service_.asked_parameters.at("flag")), true);
  EXPECT_EQ(std::get<int64_t>(service_.asked_parameters.at("number")), -1);
  service_.outcome = absl::UnavailableError("the repository is not under explicit control");
  EXPECT_EQ(Call(&Stub::RepositoryModelLoad, request, response).error_code(), grpc::StatusCode::UNAVAILABLE);
  parameters["empty"];
  EXPECT_EQ(Call(&Stub::RepositoryModelLoad, request, response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  request.set_repository_name("r");
  EXPECT_EQ(Call(&Stub::RepositoryModelLoad, request, response).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  ExpectNothingInFlight();
}

TEST_F(ControlCallsTest, UnloadMayTakeItsDependents) {
  inference::RepositoryModelUnloadRequest request;
  request.set_model_name("m");
  inference::RepositoryModelUnloadResponse response;
  ASSERT_TRUE(Call(&Stub::RepositoryModelUnload, request, response).ok());
  EXPECT_FALSE(service_.asked_flag);
  (*request.mutable_parameters())["unload_dependents"].set_bool_param(true);
  ASSERT_TRUE(Call(&Stub::RepositoryModelUnload, request, response).ok());
  EXPECT_TRUE(service_.asked_flag);
  (*request.mutable_parameters())["unload_dependents"].set_int64_param(1);
  EXPECT_EQ(Call(&Stub::RepositoryModelUnload, request, response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  request.clear_parameters();
  (*request.mutable_parameters())["other"].set_bool_param(true);
  const grpc::Status unknown = Call(&Stub::RepositoryModelUnload, request, response);
  EXPECT_EQ(unknown.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(unknown.error_message(), HasSubstr("'other'"));
  request.clear_parameters();
  request.set_repository_name("r");
  EXPECT_EQ(Call(&Stub::RepositoryModelUnload, request, response).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(ControlCallsTest, SystemSharedMemory) {
  service_.regions = std::vector<SharedMemoryRegion>{{"a", "/a", 16, 32}, {"b", "/b", 0, 8}};
  inference::SystemSharedMemoryStatusRequest status;
  inference::SystemSharedMemoryStatusResponse regions;
  ASSERT_TRUE(Call(&Stub::SystemSharedMemoryStatus, status, regions).ok());
  EXPECT_EQ(regions.regions_size(), 2);
  EXPECT_EQ(regions.regions().at("a").key(), "/a");
  EXPECT_EQ(regions.regions().at("a").offset(), 16u);
  EXPECT_EQ(regions.regions().at("a").byte_size(), 32u);
  status.set_name("none");
  EXPECT_EQ(Call(&Stub::SystemSharedMemoryStatus, status, regions).error_code(), grpc::StatusCode::NOT_FOUND);

  inference::SystemSharedMemoryRegisterRequest region;
  region.set_name("c");
  region.set_key("/c");
  region.set_offset(1);
  region.set_byte_size(2);
  inference::SystemSharedMemoryRegisterResponse registered;
  ASSERT_TRUE(Call(&Stub::SystemSharedMemoryRegister, region, registered).ok());
  EXPECT_EQ(service_.asked_region.name, "c");
  EXPECT_EQ(service_.asked_region.key, "/c");
  EXPECT_EQ(service_.asked_region.offset, 1u);
  EXPECT_EQ(service_.asked_region.byte_size, 2u);
  inference::SystemSharedMemoryUnregisterRequest unregister;
  unregister.set_name("d");
  inference::SystemSharedMemoryUnregisterResponse unregistered;
  ASSERT_TRUE(Call(&Stub::SystemSharedMemoryUnregister, unregister, unregistered).ok());
  EXPECT_EQ(service_.asked_region.name, "d");
  service_.outcome = absl::UnimplementedError("switched off");
  EXPECT_EQ(Call(&Stub::SystemSharedMemoryRegister, region, registered).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(ControlCallsTest, CudaSharedMemoryIsNotServed) {
  inference::CudaSharedMemoryStatusResponse status;
  inference::CudaSharedMemoryRegisterResponse registered;
  inference::CudaSharedMemoryUnregisterResponse unregistered;
  EXPECT_EQ(
      Call(&Stub::CudaSharedMemoryStatus, inference::CudaSharedMemoryStatusRequest(), status).error_code(),
      grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(Call(&Stub::CudaSharedMemoryRegister, inference::CudaSharedMemoryRegisterRequest(), registered)
                .error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(
      Call(&Stub::CudaSharedMemoryUnregister, inference::CudaSharedMemoryUnregisterRequest(), unregistered)
          .error_code(),
      grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(ControlCallsTest, TraceSettings) {
  service_.tracing = TraceSettings{{"trace_level", {"TIMESTAMPS", "TENSORS"}}, {"trace_rate", {"1000"}}};
  inference::TraceSettingRequest request;
  request.set_model_name("m");
  (*request.mutable_settings())["trace_rate"].add_value("5");
  (*request.mutable_settings())["trace_count"];  // clears
  inference::TraceSettingResponse response;
  ASSERT_TRUE(Call(&Stub::TraceSetting, request, response).ok());
  EXPECT_EQ(service_.asked_model, "m");
  EXPECT_THAT(*service_.asked_tracing.at("trace_rate"), ElementsAre("5"));
  EXPECT_EQ(service_.asked_tracing.at("trace_count"), std::nullopt);
  EXPECT_THAT(response.settings().at("trace_level").value(), ElementsAre("TIMESTAMPS", "TENSORS"));
}

TEST_F(ControlCallsTest, LogSettings) {
  service_.logging = LogSettings{{"log_info", true}, {"log_verbose_level", 2u}, {"log_format", "default"}};
  inference::LogSettingsRequest request;
  auto& settings = *request.mutable_settings();
  settings["log_info"].set_bool_param(false);
  settings["log_verbose_level"].set_uint32_param(1);
  settings["log_format"].set_string_param("ISO8601");
  inference::LogSettingsResponse response;
  ASSERT_TRUE(Call(&Stub::LogSettings, request, response).ok());
  EXPECT_EQ(std::get<bool>(service_.asked_logging.at("log_info")), false);
  EXPECT_EQ(std::get<uint32_t>(service_.asked_logging.at("log_verbose_level")), 1u);
  EXPECT_EQ(std::get<std::string>(service_.asked_logging.at("log_format")), "ISO8601");
  EXPECT_TRUE(response.settings().at("log_info").bool_param());
  EXPECT_EQ(response.settings().at("log_verbose_level").uint32_param(), 2u);
  EXPECT_EQ(response.settings().at("log_format").string_param(), "default");
  settings["nothing"];
  EXPECT_EQ(Call(&Stub::LogSettings, request, response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace waystone
