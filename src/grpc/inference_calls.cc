// SPDX-License-Identifier: Apache-2.0
#include "grpc/inference_calls.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "grpc/call_context.h"
#include "grpc/call_status.h"
#include "grpc/control_codec.h"
#include "grpc/infer_codec.h"
#include "grpc/message_codec.h"
#include "grpc/raw_call.h"

namespace waystone {
namespace {

using Reactor = grpc::ServerUnaryReactor;
using Buffer = grpc::ByteBuffer;
using Context = grpc::CallbackServerContext;

absl::Status CheckRepository(const std::string& repository) {
  if (repository.empty()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("the repository '", WireName(repository),
                                               "' cannot be named: the server has one, which has no name"));
}

absl::Status NoCudaMemory() {
  return absl::UnimplementedError("shared memory of CUDA devices is not served; system shared memory may be");
}

}  // namespace

template <typename Request, typename Response, typename Handle>
Reactor* InferenceCalls::Answer(Context* context, const Buffer* request, Buffer* answer,
                                const Handle& handle) {
  return AnswerAtOnce<Request, Response>(*context, request, *answer, shared_.max_parsed_bytes, handle);
}

template <typename Request>
absl::StatusOr<std::shared_ptr<Request>> InferenceCalls::Take(const Buffer* buffer, UnaryCall& call) {
  Buffer& wire = Received(buffer);
  WAYSTONE_ASSIGN_OR_RETURN(const uint64_t bytes,
                            ParsedBytes(wire, *Request::descriptor(), shared_.max_parsed_bytes));
  WAYSTONE_ASSIGN_OR_RETURN(Admission::Pass pass, shared_.admission->Enter(bytes));
  call.Hold(std::move(pass));
  auto message = std::make_shared<Request>();
  WAYSTONE_RETURN_IF_ERROR(ParseMeasured(wire, *message));
  return message;
}

Reactor* InferenceCalls::ModelInfer(Context* context, const Buffer* request, Buffer* answer) {
  const std::shared_ptr<UnaryCall> call = UnaryCall::Begin(*context, *answer);
  const absl::Status status = WithoutExceptions([&]() -> absl::Status {
    WAYSTONE_ASSIGN_OR_RETURN(auto message, Take<inference::ModelInferRequest>(request, *call));
    WAYSTONE_ASSIGN_OR_RETURN(InferRequest work,
                              DecodeInferRequest(std::move(message), InferOrigin::kCall, shared_.limits));
    WAYSTONE_RETURN_IF_ERROR(StampRequest(*context, call->cancelled(), shared_.limits.max_name_bytes, work));
    service_.Infer(std::move(work), [call](const absl::StatusOr<InferResponse>& result) {
      call->End([&result](Buffer& wire) -> absl::Status {
        WAYSTONE_RETURN_IF_ERROR(result.status());
        inference::ModelInferResponse response;
        WAYSTONE_RETURN_IF_ERROR(EncodeInferResponse(*result, response));
        return SerializeMessage(response, wire);
      });
    });
    return absl::OkStatus();
  });
  if (!status.ok()) call->Fail(status);
  return call.get();
}

InferStream::Reactor* InferenceCalls::ModelStreamInfer(Context* context) {
  return InferStream::Begin(*context, shared_);
}

Reactor* InferenceCalls::RepositoryModelLoad(Context* context, const Buffer* request, Buffer* answer) {
  const std::shared_ptr<UnaryCall> call = UnaryCall::Begin(*context, *answer);
  const absl::Status status = WithoutExceptions([&]() -> absl::Status {
    WAYSTONE_ASSIGN_OR_RETURN(auto asked, Take<inference::RepositoryModelLoadRequest>(request, *call));
    WAYSTONE_RETURN_IF_ERROR(CheckRepository(asked->repository_name()));
    WAYSTONE_ASSIGN_OR_RETURN(RepositoryParameters parameters, DecodeLoadParameters(asked->parameters()));
    service_.Load(asked->model_name(), std::move(parameters), [call](const absl::Status& result) {
      call->End([&result](Buffer& wire) -> absl::Status {
        WAYSTONE_RETURN_IF_ERROR(result);
        return SerializeMessage(inference::RepositoryModelLoadResponse(), wire);
      });
    });
    return absl::OkStatus();
  });
  if (!status.ok()) call->Fail(status);
  return call.get();
}

Reactor* InferenceCalls::RepositoryModelUnload(Context* context, const Buffer* request, Buffer* answer) {
  const std::shared_ptr<UnaryCall> call = UnaryCall::Begin(*context, *answer);
  const absl::Status status = WithoutExceptions([&]() -> absl::Status {
    WAYSTONE_ASSIGN_OR_RETURN(auto asked, Take<inference::RepositoryModelUnloadRequest>(request, *call));
    WAYSTONE_RETURN_IF_ERROR(CheckRepository(asked->repository_name()));
    WAYSTONE_ASSIGN_OR_RETURN(const bool dependents, DecodeUnloadDependents(asked->parameters()));
    service_.Unload(asked->model_name(), dependents, [call](const absl::Status& result) {
      call->End([&result](Buffer& wire) -> absl::Status {
        WAYSTONE_RETURN_IF_ERROR(result);
        return SerializeMessage(inference::RepositoryModelUnloadResponse(), wire);
      });
    });
    return absl::OkStatus();
  });
  if (!status.ok()) call->Fail(status);
  return call.get();
}

Reactor* InferenceCalls::ServerLive(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::ServerLiveRequest, inference::ServerLiveResponse>(context, request, answer,
                                                                             [this](const auto&, auto& told) {
                                                                               told.set_live(service_.live());
                                                                               return absl::OkStatus();
                                                                             });
}

Reactor* InferenceCalls::ServerReady(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::ServerReadyRequest, inference::ServerReadyResponse>(
      context, request, answer, [this](const auto&, auto& told) {
        told.set_ready(shared_.admission->open() && service_.ready());
        return absl::OkStatus();
      });
}

Reactor* InferenceCalls::ModelReady(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::ModelReadyRequest, inference::ModelReadyResponse>(
      context, request, answer, [this](const auto& asked, auto& told) -> absl::Status {
        WAYSTONE_ASSIGN_OR_RETURN(const bool ready, service_.ModelReady(asked.name(), asked.version()));
        told.set_ready(ready && shared_.admission->open());
        return absl::OkStatus();
      });
}

Reactor* InferenceCalls::ServerMetadata(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::ServerMetadataRequest, inference::ServerMetadataResponse>(
      context, request, answer, [this](const auto&, auto& told) {
        Encode(service_.metadata(), told);
        return absl::OkStatus();
      });
}

Reactor* InferenceCalls::ModelMetadata(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::ModelMetadataRequest, inference::ModelMetadataResponse>(
      context, request, answer, [this](const auto& asked, auto& told) -> absl::Status {
        WAYSTONE_ASSIGN_OR_RETURN(const waystone::ModelMetadata metadata,
                                  service_.Metadata(asked.name(), asked.version()));
        Encode(metadata, told);
        return absl::OkStatus();
      });
}

Reactor* InferenceCalls::ModelConfig(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::ModelConfigRequest, inference::ModelConfigResponse>(
      context, request, answer, [this](const auto& asked, auto& told) -> absl::Status {
        WAYSTONE_ASSIGN_OR_RETURN(const auto config, service_.Config(asked.name(), asked.version()));
        *told.mutable_config() = *config;
        return absl::OkStatus();
      });
}

Reactor* InferenceCalls::ModelStatistics(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::ModelStatisticsRequest, inference::ModelStatisticsResponse>(
      context, request, answer, [this](const auto& asked, auto& told) -> absl::Status {
        WAYSTONE_ASSIGN_OR_RETURN(const auto statistics, service_.Statistics(asked.name(), asked.version()));
        Encode(statistics, told);
        return absl::OkStatus();
      });
}

Reactor* InferenceCalls::RepositoryIndex(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::RepositoryIndexRequest, inference::RepositoryIndexResponse>(
      context, request, answer, [this](const auto& asked, auto& told) -> absl::Status {
        WAYSTONE_RETURN_IF_ERROR(CheckRepository(asked.repository_name()));
        Encode(service_.Index(asked.ready()), told);
        return absl::OkStatus();
      });
}

Reactor* InferenceCalls::SystemSharedMemoryStatus(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::SystemSharedMemoryStatusRequest, inference::SystemSharedMemoryStatusResponse>(
      context, request, answer, [this](const auto& asked, auto& told) -> absl::Status {
        WAYSTONE_ASSIGN_OR_RETURN(const auto regions, service_.SharedMemory(asked.name()));
        Encode(regions, told);
        return absl::OkStatus();
      });
}

Reactor* InferenceCalls::SystemSharedMemoryRegister(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::SystemSharedMemoryRegisterRequest, inference::SystemSharedMemoryRegisterResponse>(
      context, request, answer, [this](const auto& asked, auto&) {
        return service_.RegisterSharedMemory({.name = asked.name(),
                                              .key = asked.key(),
                                              .offset = asked.offset(),
                                              .byte_size = asked.byte_size()});
      });
}

Reactor* InferenceCalls::SystemSharedMemoryUnregister(Context* context, const Buffer* request,
                                                      Buffer* answer) {
  return Answer<inference::SystemSharedMemoryUnregisterRequest,
                inference::SystemSharedMemoryUnregisterResponse>(
      context, request, answer,
      [this](const auto& asked, auto&) { return service_.UnregisterSharedMemory(asked.name()); });
}

Reactor* InferenceCalls::CudaSharedMemoryStatus(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::CudaSharedMemoryStatusRequest, inference::CudaSharedMemoryStatusResponse>(
      context, request, answer, [](const auto&, auto&) { return NoCudaMemory(); });
}

Reactor* InferenceCalls::CudaSharedMemoryRegister(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::CudaSharedMemoryRegisterRequest, inference::CudaSharedMemoryRegisterResponse>(
      context, request, answer, [](const auto&, auto&) { return NoCudaMemory(); });
}

Reactor* InferenceCalls::CudaSharedMemoryUnregister(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::CudaSharedMemoryUnregisterRequest, inference::CudaSharedMemoryUnregisterResponse>(
      context, request, answer, [](const auto&, auto&) { return NoCudaMemory(); });
}

Reactor* InferenceCalls::TraceSetting(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::TraceSettingRequest, inference::TraceSettingResponse>(
      context, request, answer, [this](const auto& asked, auto& told) -> absl::Status {
        WAYSTONE_ASSIGN_OR_RETURN(const TraceSettings settings,
                                  service_.SetTracing(asked.model_name(), DecodeChanges(asked)));
        Encode(settings, told);
        return absl::OkStatus();
      });
}

Reactor* InferenceCalls::LogSettings(Context* context, const Buffer* request, Buffer* answer) {
  return Answer<inference::LogSettingsRequest, inference::LogSettingsResponse>(
      context, request, answer, [this](const auto& asked, auto& told) -> absl::Status {
        WAYSTONE_ASSIGN_OR_RETURN(const waystone::LogSettings changes, DecodeChanges(asked));
        WAYSTONE_ASSIGN_OR_RETURN(const waystone::LogSettings settings, service_.SetLogging(changes));
        Encode(settings, told);
        return absl::OkStatus();
      });
}

}  // namespace waystone
