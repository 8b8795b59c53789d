// SPDX-License-Identifier: Apache-2.0
//
// How an absl::Status travels over gRPC: the codes are the same numbers, the message goes along in a form
// that every client can read (UTF-8, bounded, since it travels as a header), and the reason of a refusal is
// trailing metadata that a client can act on. Thread-safe (pure).
#pragma once

#include <exception>
#include <new>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

namespace waystone {

// Trailing metadata of a refused call: queue_full, expired, ... (types/refusal.h).
inline constexpr char kRefusalKey[] = "waystone-refusal";
// Trailing metadata: when to try again. Sent where the status says so.
inline constexpr char kRetryAfterKey[] = "retry-after-ms";
inline constexpr size_t kMaxErrorBytes = 1024;

// `text` as UTF-8 without control characters, at most kMaxErrorBytes of it; what is no UTF-8 becomes '?'.
std::string WireText(absl::string_view text);
// The same for a name in the middle of a message: at most 80 bytes.
std::string WireName(absl::string_view name);

// What an error says to the client; never empty.
std::string WireMessage(const absl::Status& status);
grpc::Status ToGrpcStatus(const absl::Status& status);
// Adds what a client can act on to the call's trailing metadata; nothing for a status that is no refusal.
void AddRefusal(const absl::Status& status, grpc::ServerContextBase& context);

// The status of `body`, an error for what it throws: gRPC's threads are no place for exceptions.
template <typename Body>
absl::Status WithoutExceptions(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("the server has no memory left for this call");
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("the call failed: ", error.what()));
  }
}

}  // namespace waystone
