// SPDX-License-Identifier: Apache-2.0
//
// inference.GRPCInferenceService: its 20 calls, each of which decodes, asks the InferenceService and encodes.
// No call blocks: what takes long (ModelInfer, ModelStreamInfer, load and unload) is admitted, handed on and
// answered from whatever thread has the result. All calls take byte buffers, so that nothing is parsed before
// it is measured. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "grpc/admission.h"
#include "grpc/infer_stream.h"
#include "grpc/unary_call.h"
#include "proto/grpc_service.grpc.pb.h"
#include "serving/inference_service.h"

namespace waystone {

// One layer of generated code for each call.
namespace raw_calls {
using Contract = inference::GRPCInferenceService;
using WithServerLive = Contract::WithRawCallbackMethod_ServerLive<Contract::Service>;
using WithServerReady = Contract::WithRawCallbackMethod_ServerReady<WithServerLive>;
using WithModelReady = Contract::WithRawCallbackMethod_ModelReady<WithServerReady>;
using WithServerMetadata = Contract::WithRawCallbackMethod_ServerMetadata<WithModelReady>;
using WithModelMetadata = Contract::WithRawCallbackMethod_ModelMetadata<WithServerMetadata>;
using WithModelInfer = Contract::WithRawCallbackMethod_ModelInfer<WithModelMetadata>;
using WithModelStreamInfer = Contract::WithRawCallbackMethod_ModelStreamInfer<WithModelInfer>;
using WithModelConfig = Contract::WithRawCallbackMethod_ModelConfig<WithModelStreamInfer>;
using WithModelStatistics = Contract::WithRawCallbackMethod_ModelStatistics<WithModelConfig>;
using WithRepositoryIndex = Contract::WithRawCallbackMethod_RepositoryIndex<WithModelStatistics>;
using WithRepositoryModelLoad = Contract::WithRawCallbackMethod_RepositoryModelLoad<WithRepositoryIndex>;
using WithRepositoryModelUnload =
    Contract::WithRawCallbackMethod_RepositoryModelUnload<WithRepositoryModelLoad>;
using WithSystemSharedMemoryStatus =
    Contract::WithRawCallbackMethod_SystemSharedMemoryStatus<WithRepositoryModelUnload>;
using WithSystemSharedMemoryRegister =
    Contract::WithRawCallbackMethod_SystemSharedMemoryRegister<WithSystemSharedMemoryStatus>;
using WithSystemSharedMemoryUnregister =
    Contract::WithRawCallbackMethod_SystemSharedMemoryUnregister<WithSystemSharedMemoryRegister>;
using WithCudaSharedMemoryStatus =
    Contract::WithRawCallbackMethod_CudaSharedMemoryStatus<WithSystemSharedMemoryUnregister>;
using WithCudaSharedMemoryRegister =
    Contract::WithRawCallbackMethod_CudaSharedMemoryRegister<WithCudaSharedMemoryStatus>;
using WithCudaSharedMemoryUnregister =
    Contract::WithRawCallbackMethod_CudaSharedMemoryUnregister<WithCudaSharedMemoryRegister>;
using WithTraceSetting = Contract::WithRawCallbackMethod_TraceSetting<WithCudaSharedMemoryUnregister>;
using Service = Contract::WithRawCallbackMethod_LogSettings<WithTraceSetting>;
}  // namespace raw_calls

class InferenceCalls final : public raw_calls::Service {
 public:
  // `shared.service` outlives the open calls.
  explicit InferenceCalls(const InferStreamShared& shared) : shared_(shared), service_(shared.service) {}

  using Context = grpc::CallbackServerContext;
  using Buffer = grpc::ByteBuffer;
  using Reactor = grpc::ServerUnaryReactor;

  Reactor* ServerLive(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* ServerReady(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* ModelReady(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* ServerMetadata(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* ModelMetadata(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* ModelInfer(Context* context, const Buffer* request, Buffer* answer) override;
  InferStream::Reactor* ModelStreamInfer(Context* context) override;
  Reactor* ModelConfig(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* ModelStatistics(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* RepositoryIndex(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* RepositoryModelLoad(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* RepositoryModelUnload(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* SystemSharedMemoryStatus(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* SystemSharedMemoryRegister(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* SystemSharedMemoryUnregister(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* CudaSharedMemoryStatus(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* CudaSharedMemoryRegister(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* CudaSharedMemoryUnregister(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* TraceSetting(Context* context, const Buffer* request, Buffer* answer) override;
  Reactor* LogSettings(Context* context, const Buffer* request, Buffer* answer) override;

 private:
  // Measured, admitted and parsed; the call holds the admission.
  template <typename Request>
  absl::StatusOr<std::shared_ptr<Request>> Take(const Buffer* buffer, UnaryCall& call);
  template <typename Request, typename Response, typename Handle>
  Reactor* Answer(Context* context, const Buffer* request, Buffer* answer, const Handle& handle);

  const InferStreamShared shared_;
  InferenceService& service_;
};

}  // namespace waystone
