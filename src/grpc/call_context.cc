// SPDX-License-Identifier: Apache-2.0
#include "grpc/call_context.h"

#include <chrono>
#include <string>

#include "base/status.h"
#include "grpc/infer_parameters.h"

namespace waystone {
namespace {

constexpr int64_t kFarSeconds = int64_t{10} * 365 * 24 * 3600;

}  // namespace

Deadline SteadyDeadline(gpr_timespec deadline, TimePoint now) {
  const gpr_timespec left =
      gpr_time_sub(gpr_convert_clock_type(deadline, GPR_CLOCK_MONOTONIC), gpr_now(GPR_CLOCK_MONOTONIC));
  if (left.tv_sec >= kFarSeconds) return Deadline::Never();
  if (left.tv_sec <= -kFarSeconds) return Deadline::At(now);
  return Deadline::After(now, std::chrono::seconds(left.tv_sec) + std::chrono::nanoseconds(left.tv_nsec));
}

absl::Status StampRequest(const grpc::ServerContextBase& context, const CancelFlag& cancelled,
                          size_t max_name_bytes, InferRequest& request) {
  request.arrived = SteadyClock().Now();
  request.deadline = SteadyDeadline(context.raw_deadline(), request.arrived);
  request.cancelled = [cancelled] { return cancelled->load(std::memory_order_acquire); };
  const auto found = context.client_metadata().find(kStreamKey);
  if (found == context.client_metadata().end()) return absl::OkStatus();
  WAYSTONE_RETURN_IF_ERROR(CheckLength("the name of the stream", found->second.size(), max_name_bytes));
  request.stream.assign(found->second.data(), found->second.size());
  return absl::OkStatus();
}

}  // namespace waystone
