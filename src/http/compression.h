// SPDX-License-Identifier: Apache-2.0
//
// Bodies in gzip and zlib's deflate (RFC 1950, 1952), as HTTP names them. Inflating stops at a limit, so a
// small body cannot become a large one; memory grows with what came out, not with what was promised.
// Thread-safe (no state).
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace waystone {

enum class ContentCoding { kIdentity, kGzip, kDeflate };

// Of a Content-Encoding header, "" being identity; nothing for one that we do not read.
std::optional<ContentCoding> ContentCodingFromName(absl::string_view name);
// The one to answer in, by an Accept-Encoding header with its q-values (RFC 9110 section 12.5.3). Identity
// unless gzip or deflate is asked for.
ContentCoding ChooseCoding(absl::string_view accept_encoding);
absl::string_view Name(ContentCoding coding);

// OutOfRange with the limit for more than `max_bytes`; InvalidArgument for what is no such stream, ends early
// or goes on after its end.
absl::StatusOr<std::string> Inflate(absl::string_view compressed, ContentCoding coding, size_t max_bytes);
std::string Deflate(absl::string_view bytes, ContentCoding coding);

}  // namespace waystone
