// SPDX-License-Identifier: Apache-2.0
#include "types/refusal.h"

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

namespace waystone {
namespace {

constexpr absl::string_view kReasonType = "waystone/refusal-reason";
constexpr absl::string_view kRetryType = "waystone/retry-after-ns";

absl::StatusCode Code(RefusalReason reason) {
  switch (reason) {
    case RefusalReason::kQueueFull:
    case RefusalReason::kOverQuota:
      return absl::StatusCode::kResourceExhausted;
    case RefusalReason::kExpired:
      return absl::StatusCode::kDeadlineExceeded;
    case RefusalReason::kSuperseded:
      return absl::StatusCode::kAborted;
    case RefusalReason::kCancelled:
      return absl::StatusCode::kCancelled;
    case RefusalReason::kWouldMiss:
    case RefusalReason::kDraining:
    case RefusalReason::kNotReady:
      return absl::StatusCode::kUnavailable;
  }
  return absl::StatusCode::kUnavailable;
}

}  // namespace

absl::string_view Name(RefusalReason reason) {
  constexpr absl::string_view kNames[] = {"queue_full", "would_miss", "expired",  "superseded",
                                          "cancelled",  "over_quota", "draining", "not_ready"};
  return kNames[static_cast<int>(reason)];
}

absl::Status Refuse(RefusalReason reason, absl::string_view message) {
  absl::Status status(Code(reason), message);
  status.SetPayload(kReasonType, absl::Cord(Name(reason)));
  return status;
}

absl::Status RefuseUntil(RefusalReason reason, absl::string_view message, Duration retry_after) {
  absl::Status status = Refuse(reason, message);
  const std::string ns = absl::StrCat(retry_after.count());
  status.SetPayload(kRetryType, absl::Cord(absl::string_view(ns)));
  return status;
}

std::string RefusalReasonOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kReasonType);
  return payload ? std::string(*payload) : std::string();
}

std::optional<Duration> RetryAfterOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kRetryType);
  int64_t ns = 0;
  if (!payload || !absl::SimpleAtoi(std::string(*payload), &ns)) return std::nullopt;
  return Duration(ns);
}

}  // namespace waystone
