// SPDX-License-Identifier: Apache-2.0
//
// Honest refusals: work that is turned away carries a reason a client can act on, beside the canonical code,
// and where it is worth trying again, after how long. Both travel as payloads of the absl::Status, so they
// survive the hand-over between layers. Thread-safe (pure).
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

#include "base/clock.h"

namespace waystone {

// queue_full: the queue has no room (ResourceExhausted). would_miss: by what is known of the model's speed
// the answer would come after the deadline (Unavailable). expired: the deadline has passed
// (DeadlineExceeded). superseded: a newer frame of the same stream came (Aborted). cancelled: the client has
// gone (Cancelled). over_quota: this tenant has taken its share of a full queue (ResourceExhausted).
// draining: the server is stopping (Unavailable). not_ready: the model is not loaded yet (Unavailable).
enum class RefusalReason {
  kQueueFull,
  kWouldMiss,
  kExpired,
  kSuperseded,
  kCancelled,
  kOverQuota,
  kDraining,
  kNotReady
};
inline constexpr RefusalReason kAllRefusalReasons[] = {RefusalReason::kQueueFull, RefusalReason::kWouldMiss,
                                                       RefusalReason::kExpired,   RefusalReason::kSuperseded,
                                                       RefusalReason::kCancelled, RefusalReason::kOverQuota,
                                                       RefusalReason::kDraining,  RefusalReason::kNotReady};

absl::string_view Name(RefusalReason reason);
absl::Status Refuse(RefusalReason reason, absl::string_view message);
// The same with the time after which trying again makes sense; more than zero.
absl::Status RefuseUntil(RefusalReason reason, absl::string_view message, Duration retry_after);
// "queue_full", ...; empty when `status` is no refusal.
std::string RefusalReasonOf(const absl::Status& status);
std::optional<Duration> RetryAfterOf(const absl::Status& status);

}  // namespace waystone
