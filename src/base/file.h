// SPDX-License-Identifier: Apache-2.0
//
// Files as bytes, with a limit that is checked before memory is taken. Thread-safe (no state).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace waystone {

// The whole content of the regular file at `path`. NotFound, PermissionDenied, InvalidArgument (a folder or a
// device), OutOfRange (longer than `max_bytes`; the text names both sizes).
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes);

// Everything from standard input up to `max_bytes`; OutOfRange past it.
absl::StatusOr<std::string> ReadStandardInput(size_t max_bytes);

// Writes `content` beside `path` and renames it into place: readers see the old file or the new one, never a
// part.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view content);

// SHA-256 (FIPS 180-4) of `content` as 64 lower-case hex digits.
std::string Sha256Hex(absl::string_view content);

}  // namespace waystone
