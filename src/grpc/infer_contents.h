// SPDX-License-Identifier: Apache-2.0
//
// The typed contents of one input as bytes of its type: in place where the field holds just these bytes, else
// rewritten (narrow integers, which must fit their type, and BYTES). Thread-safe (pure).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "proto/grpc_service.pb.h"
#include "types/data_type.h"

namespace waystone {

// What was rewritten for the inputs of one request.
using RewrittenContents = std::vector<std::vector<std::byte>>;

// `type`: nothing for BYTES. The bytes lie in `contents` or in a new element of `rewritten`. InvalidArgument
// where the field that is filled is not that of the type, or a value does not fit; `input` is for messages.
absl::StatusOr<std::span<const std::byte>> ContentBytes(absl::string_view input, std::optional<DataType> type,
                                                        const inference::InferTensorContents& contents,
                                                        RewrittenContents& rewritten);

}  // namespace waystone
