// SPDX-License-Identifier: Apache-2.0
//
// Errors are absl::Status with the canonical gRPC codes. This header adds the two macros that pass them up
// and the one table that maps a code to what each front shows: an HTTP status and a process exit code.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace waystone {

// The HTTP status for a code (RFC 9110): InvalidArgument 400, NotFound 404, ResourceExhausted 429, OutOfRange
// 413
// ("a size beyond a stated limit"), Unimplemented 415 is not assumed: it maps to 501. Ok maps to 200.
int HttpStatus(absl::StatusCode code);

// The exit code of the program for a code (sysexits.h numbers): Ok 0, InvalidArgument and OutOfRange 65 (bad
// data), NotFound 66 (no such input), Unavailable 69, Internal 70, PermissionDenied 77, FailedPrecondition 78
// (configuration).
int ExitCode(absl::StatusCode code);

// The same status with `context` and ": " before its message: says what was attempted.
absl::Status Annotate(const absl::Status& status, absl::string_view context);

}  // namespace waystone

#define WAYSTONE_CONCAT_INNER(a, b) a##b
#define WAYSTONE_CONCAT(a, b) WAYSTONE_CONCAT_INNER(a, b)

// Returns from the enclosing function when `expression`, an absl::Status, is not OK.
#define WAYSTONE_RETURN_IF_ERROR(expression)                                                        \
  do {                                                                                              \
    if (absl::Status waystone_status = (expression); !waystone_status.ok()) return waystone_status; \
  } while (false)

// Assigns the value of `expression`, an absl::StatusOr, to `target` (may be a declaration), or returns its
// status.
#define WAYSTONE_ASSIGN_OR_RETURN(target, expression) \
  WAYSTONE_ASSIGN_OR_RETURN_INNER(WAYSTONE_CONCAT(waystone_result_, __LINE__), target, expression)
#define WAYSTONE_ASSIGN_OR_RETURN_INNER(result, target, expression) \
  auto result = (expression);                                       \
  if (!result.ok()) return std::move(result).status();              \
  target = std::move(result).value()
