// SPDX-License-Identifier: Apache-2.0
//
// The Open Inference Protocol v2 over gRPC: inference.GRPCInferenceService, grpc.health.v1.Health and
// reflection, on one port, over gRPC's callback interface with every limit set. It owns no work: requests go
// to the InferenceService, which must outlive this server's open calls.
//
// Compressed messages are refused unless asked for: gRPC 1.51 inflates a message before it looks at its size,
// so that 64 MiB of zeros' zeros would become 64 GiB.
//
// Threads: all from any thread, but Stop not from a callback of the InferenceService or of gRPC, whose
// threads it waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

#include "base/clock.h"
#include "grpc/infer_codec.h"
#include "serving/inference_service.h"

namespace waystone {

struct GrpcServerOptions {
  std::string address = "127.0.0.1";  // IPv4 or IPv6
  uint16_t port = 0;                  // 0: any free one

  uint64_t max_message_bytes = uint64_t{64} << 20;  // received; beyond it RESOURCE_EXHAUSTED
  uint64_t max_parsed_bytes = uint64_t{160} << 20;  // what one message may take once it is parsed
  size_t max_metadata_bytes = 16 * 1024;            // of one call
  InferCodecLimits infer = {};

  // Inferences and loads in work, those of streams among them, and what their requests take; beyond it they
  // are refused as queue_full.
  size_t max_requests_in_flight = 1024;
  uint64_t max_bytes_in_flight = uint64_t{1} << 30;
  size_t max_requests_per_stream = 32;    // of one ModelStreamInfer; beyond it the stream is not read
  size_t max_streams = 256;               // ModelStreamInfer calls open at once
  size_t max_health_watches = 256;        // Watch calls open at once
  size_t max_calls_per_connection = 256;  // further ones wait in the client

  Duration health_interval = std::chrono::seconds(1);  // how late a Watch may be
  Duration keepalive_time =
      std::chrono::seconds(60);  // silence after which a client is asked for a sign of life
  Duration keepalive_timeout = std::chrono::seconds(20);
  Duration min_ping_interval = std::chrono::seconds(5);       // a client that pings more often is cut off
  Duration max_connection_idle = std::chrono::seconds(3600);  // without a call
  bool accept_compressed = false;
};

struct GrpcServerStats {
  uint64_t requests = 0;          // inferences and loads that were accepted
  uint64_t requests_refused = 0;  // over a limit, or while stopping
  uint64_t requests_in_flight = 0;
  uint64_t bytes_in_flight = 0;
  uint64_t streams_open = 0;
  uint64_t health_watches_open = 0;
  uint64_t cut_off = 0;  // requests cancelled by a stop
};

class GrpcServer {
 public:
  // Binds and listens; before Start every request is refused as not_ready, and the health is NOT_SERVING.
  // Unavailable when the address is taken, InvalidArgument when it is none or an option is out of range.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Create(const GrpcServerOptions& options,
                                                            InferenceService& service);
  virtual ~GrpcServer() = default;
  virtual void Start() = 0;
  virtual uint16_t port() const = 0;
  // The health becomes NOT_SERVING and new requests are refused as draining; accepted ones end with their
  // real result within `drain`, later ones with CANCELLED; then the port is closed. Idempotent; a second
  // caller waits for the first. False when requests were cut off.
  virtual bool Stop(Duration drain) = 0;
  virtual GrpcServerStats stats() const = 0;
};

}  // namespace waystone
