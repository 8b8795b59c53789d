// SPDX-License-Identifier: Apache-2.0
#include "serving/refusal.h"

#include "absl/strings/cord.h"
#include "absl/types/optional.h"

namespace waystone {
namespace {

constexpr absl::string_view kPayloadType = "waystone/refusal-reason";

absl::StatusCode Code(RefusalReason reason) {
  switch (reason) {
    case RefusalReason::kQueueFull:
      return absl::StatusCode::kResourceExhausted;
    case RefusalReason::kExpired:
      return absl::StatusCode::kDeadlineExceeded;
    case RefusalReason::kCancelled:
      return absl::StatusCode::kCancelled;
    case RefusalReason::kDraining:
    case RefusalReason::kNotReady:
      return absl::StatusCode::kUnavailable;
  }
  return absl::StatusCode::kUnavailable;
}

}  // namespace

absl::string_view Name(RefusalReason reason) {
  constexpr absl::string_view kNames[] = {"queue_full", "expired", "cancelled", "draining", "not_ready"};
  return kNames[static_cast<int>(reason)];
}

absl::Status Refuse(RefusalReason reason, absl::string_view message) {
  absl::Status status(Code(reason), message);
  status.SetPayload(kPayloadType, absl::Cord(Name(reason)));
  return status;
}

std::string RefusalReasonOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadType);
  return payload ? std::string(*payload) : std::string();
}

}  // namespace waystone
