// SPDX-License-Identifier: Apache-2.0
//
// Protobuf messages from and to the byte buffers of gRPC. A message is measured before it is parsed: two
// bytes on the wire can be an object of a hundred, so a limit on what is received does not bound memory, a
// limit on what it becomes does. The estimate errs to the high side. Thread-safe (pure).
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>

namespace waystone {

// Bytes that a message of type `type` takes once it is parsed. ResourceExhausted, with the limit, when they
// are more than `max_bytes`; InvalidArgument for what is no message of protobuf's.
absl::StatusOr<uint64_t> ParsedBytes(google::protobuf::io::ZeroCopyInputStream& wire,
                                     const google::protobuf::Descriptor& type, uint64_t max_bytes);
absl::StatusOr<uint64_t> ParsedBytes(grpc::ByteBuffer& wire, const google::protobuf::Descriptor& type,
                                     uint64_t max_bytes);

// Parses what ParsedBytes() accepted and frees the wire's copy.
absl::Status ParseMeasured(grpc::ByteBuffer& wire, google::protobuf::Message& message);
// Both together.
absl::Status ParseMessage(grpc::ByteBuffer& wire, google::protobuf::Message& message, uint64_t max_bytes);

// OutOfRange for an answer larger than gRPC can send (2 GiB).
absl::Status SerializeMessage(const google::protobuf::Message& message, grpc::ByteBuffer& wire);

}  // namespace waystone
