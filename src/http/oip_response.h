// SPDX-License-Identifier: Apache-2.0
//
// The answer of an inference as the protocol writes it over HTTP: JSON, with the binary tensors' bytes behind
// it. Thread-safe (no state).
#pragma once

#include <vector>

#include "absl/status/statusor.h"

#include "net/http_server.h"
#include "serving/infer.h"

namespace waystone {

// `binary` says of each output whether it goes as binary data.
absl::StatusOr<HttpResponse> WriteOipResponse(const InferResponse& response, const std::vector<bool>& binary);

}  // namespace waystone
