// SPDX-License-Identifier: Apache-2.0
//
// Honest refusals: work that is turned away carries a reason a client can act on, beside the canonical code.
// The reason travels as a payload of the absl::Status, so it survives Annotate-free hand-over between layers.
// Thread-safe (pure).
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace waystone {

// queue_full: the queue has no room (ResourceExhausted). expired: the deadline has passed (DeadlineExceeded).
// cancelled: the client has gone (Cancelled). draining: the server is stopping (Unavailable).
// not_ready: the model is not loaded yet (Unavailable).
enum class RefusalReason { kQueueFull, kExpired, kCancelled, kDraining, kNotReady };
inline constexpr RefusalReason kAllRefusalReasons[] = {RefusalReason::kQueueFull, RefusalReason::kExpired,
                                                       RefusalReason::kCancelled, RefusalReason::kDraining,
                                                       RefusalReason::kNotReady};

absl::string_view Name(RefusalReason reason);
absl::Status Refuse(RefusalReason reason, absl::string_view message);
// "queue_full", ...; empty when `status` is no refusal.
std::string RefusalReasonOf(const absl::Status& status);

}  // namespace waystone
