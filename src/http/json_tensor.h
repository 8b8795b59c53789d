// SPDX-License-Identifier: Apache-2.0
//
// Tensors as the inference protocol writes them in JSON: arrays nested like the shape or flat, row-major.
// Read exactly: a number that the type cannot hold is refused, not bent. Thread-safe (no state).
#pragma once

#include <optional>
#include <simdjson.h>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "types/data_type.h"
#include "types/shape.h"

namespace waystone {

// The tensor's bytes in its wire form. `type` nothing: BYTES. InvalidArgument names `name` and the element;
// `max_bytes` bounds what is made of it (OutOfRange).
absl::StatusOr<std::string> ReadJsonTensor(const std::string& name, simdjson::dom::element data,
                                           std::optional<DataType> type, const Shape& shape,
                                           size_t max_bytes);

// Appends the tensor as one flat array. InvalidArgument for what JSON has no form for: half precision, NaN
// and infinities, text that is not UTF-8.
absl::Status AppendJsonTensor(const std::string& name, std::span<const std::byte> data,
                              std::optional<DataType> type, std::string& json);

// `text` as a JSON string, escaped; it is UTF-8.
void AppendJsonString(absl::string_view text, std::string& json);

}  // namespace waystone
