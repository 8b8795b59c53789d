// SPDX-License-Identifier: Apache-2.0
//
// What a request takes from the call that carried it: its deadline on the steady clock, the name of its
// stream of frames, and whether anybody still waits. Thread-safe (pure).
#pragma once

#include <atomic>
#include <memory>

#include "absl/status/status.h"
#include <grpc/support/time.h>
#include <grpcpp/server_context.h>

#include "base/clock.h"
#include "base/deadline.h"
#include "serving/infer.h"

namespace waystone {

// Metadata of a call: names the stream of frames of which only the newest counts.
inline constexpr char kStreamKey[] = "waystone-stream";

// True once nobody waits for what a call asked for; it may outlive the call.
using CancelFlag = std::shared_ptr<std::atomic<bool>>;

// gRPC's deadline, of any of its clocks, as seen at `now`; Never() from ten years on.
Deadline SteadyDeadline(gpr_timespec deadline, TimePoint now);

// Fills what the call says. OutOfRange for a stream name of more than `max_name_bytes`.
absl::Status StampRequest(const grpc::ServerContextBase& context, const CancelFlag& cancelled,
                          size_t max_name_bytes, InferRequest& request);

}  // namespace waystone
