// SPDX-License-Identifier: Apache-2.0
//
// The body of an infer request of the Open Inference Protocol v2: JSON alone, JSON with the tensors' bytes
// behind it (extension binary_tensor_data), or the bytes of the only input without JSON. Reads the envelope;
// what the names and shapes mean to the model is the service's to check. Tensors borrow from the body, which
// the request keeps. Thread-safe (no state).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "serving/infer.h"

namespace waystone {

struct OipLimits {
  // Reading takes several times the text in memory while it lasts.
  size_t max_json_bytes = size_t{16} << 20;
  size_t max_tensor_bytes = size_t{64} << 20;  // of one tensor given in JSON, once it is typed
  size_t max_depth = 100;                      // of the JSON
};

struct OipRequest {
  InferRequest infer;  // without model, version, deadline and what else is not in the body
  // Which outputs are wanted as binary data: of each in infer.outputs, and of all where that is empty.
  std::vector<bool> binary_outputs;
  bool binary_by_default = false;
};

// `json_bytes` is the header Inference-Header-Content-Length; nothing: all of the body is JSON.
// InvalidArgument and OutOfRange say what and where.
absl::StatusOr<OipRequest> ReadOipRequest(std::string body, std::optional<uint64_t> json_bytes,
                                          const OipLimits& limits);

// The length that a header states: digits, no more than the body has. InvalidArgument for anything else.
absl::StatusOr<std::optional<uint64_t>> ReadJsonLength(const std::string& header, size_t body_bytes);

}  // namespace waystone
