// SPDX-License-Identifier: Apache-2.0
//
// multipart/form-data (RFC 7578, RFC 2046 section 5.1), as browsers and `curl -F` send it, over a body that
// is at hand as a whole. Parts are views into that body: nothing is copied, and memory is bounded by
// max_parts. Thread-safe (pure).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace waystone {

struct MultipartLimits {
  size_t max_parts = 64;
  size_t max_part_header_bytes = 4096;  // of one part
};

struct MultipartPart {
  std::string name;      // of the form field; UTF-8
  std::string filename;  // as the client says, for display only: never a path to open; "" when there is none
  std::string content_type;  // as the client says; "" when it says nothing
  absl::string_view body;    // into the body that was parsed
};

// True for a Content-Type of multipart/form-data, whatever its parameters.
bool IsMultipartFormData(absl::string_view content_type);

// The parts of `body` in their order. `content_type` is the request's header with the boundary, quoted or
// not. Text before the first and after the last boundary is skipped. InvalidArgument says which rule was
// broken, OutOfRange which limit was exceeded.
absl::StatusOr<std::vector<MultipartPart>> ParseMultipart(absl::string_view content_type,
                                                          absl::string_view body,
                                                          const MultipartLimits& limits = {});

}  // namespace waystone
