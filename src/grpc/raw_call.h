// SPDX-License-Identifier: Apache-2.0
//
// Calls that are answered on the spot, over byte buffers: measure, parse, handle, serialise, with errors and
// exceptions becoming the call's status. Thread-safe (no state).
#pragma once

#include <cstdint>

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "base/status.h"
#include "grpc/call_status.h"
#include "grpc/message_codec.h"

namespace waystone {

// gRPC's buffer with what it received: it lends it as const, although it is not, and would keep the bytes
// until the call ends. Parsing frees them.
inline grpc::ByteBuffer& Received(const grpc::ByteBuffer* request) {
  return const_cast<grpc::ByteBuffer&>(*request);
}

// `handle(const Request&, Response&)` returns an absl::Status.
template <typename Request, typename Response, typename Handle>
grpc::ServerUnaryReactor* AnswerAtOnce(grpc::CallbackServerContext& context, const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer& answer, uint64_t max_parsed_bytes,
                                       const Handle& handle) {
  const absl::Status status = WithoutExceptions([&]() -> absl::Status {
    Request asked;
    WAYSTONE_RETURN_IF_ERROR(ParseMessage(Received(request), asked, max_parsed_bytes));
    Response told;
    WAYSTONE_RETURN_IF_ERROR(handle(asked, told));
    return SerializeMessage(told, answer);
  });
  if (!status.ok()) AddRefusal(status, context);
  grpc::ServerUnaryReactor* reactor = context.DefaultReactor();
  reactor->Finish(ToGrpcStatus(status));
  return reactor;
}

}  // namespace waystone
