// SPDX-License-Identifier: Apache-2.0
//
// The JSON body of POST /predict: {"input": X}, where X is a picture or a tensor:
//   "<base64 of a JPEG, PNG or WebP file>"   also with a "data:image/...;base64," prefix; line breaks are
//   skipped
//   {"b64": "<base64>"}
//   nested lists of numbers, for instance [height][width][3] with values 0 to 255
// It is read event by event (SAX) and never built as a tree: depth and number of elements are checked while
// they are read, so memory stays below the body's own size plus 4 bytes an element. Thread-safe (pure).
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "types/shape.h"

namespace waystone {

struct PredictBodyLimits {
  size_t max_depth = 64;                        // of the JSON, the outer object included
  size_t max_elements = size_t{1} << 24;        // of a tensor
  size_t max_picture_bytes = size_t{32} << 20;  // once decoded from base64
};

// Row-major; every value is finite; no dimension is 0.
struct NestedTensor {
  Shape shape;
  std::vector<float> values;
};

// The bytes of a picture file, never empty, or a tensor.
using PredictInput = std::variant<std::string, NestedTensor>;

// InvalidArgument for anything that is not of the form above; the text names the place ("input[3][0]").
// OutOfRange for a size beyond a limit. An unknown member is refused: a misspelt name must not go unnoticed.
absl::StatusOr<PredictInput> ParsePredictBody(absl::string_view json, const PredictBodyLimits& limits = {});

// Bytes of standard base64 (RFC 4648 section 4), white space skipped, padding optional. The two errors as
// above.
absl::StatusOr<std::string> DecodeBase64Picture(absl::string_view text, size_t max_bytes);

}  // namespace waystone
