// SPDX-License-Identifier: Apache-2.0
//
// ModelInferRequest to InferRequest and InferResponse to ModelInferResponse. Only what the wire format
// demands is checked here: how data and tensors belong together, that values fit their type, that parameters
// are of the kind their name asks for, how many there are. Names, shapes and sizes are the service's
// business.
//
// Data are not copied: the tensors of a decoded request point into the message, which InferRequest::memory
// keeps. Only narrow integers and BYTES that came as typed contents are rewritten, into memory kept the same
// way. Thread-safe (pure).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "proto/grpc_service.pb.h"
#include "serving/infer.h"

namespace waystone {

// What is over one of these is OutOfRange.
struct InferCodecLimits {
  size_t max_inputs = 256;
  size_t max_outputs = 256;
  size_t max_parameters = 64;  // of the request, of each tensor
  size_t max_rank = 32;
  size_t max_name_bytes = 1024;            // of models, tensors, parameters, regions and of ids
  size_t max_parameter_bytes = 64 * 1024;  // of a text
};

// A model that answers once has no use for it, but clients may always send it (bool, on streams only).
inline constexpr char kEmptyFinalResponse[] = "triton_enable_empty_final_response";
// Tells the last answer to a request of a stream; here, every one.
inline constexpr char kFinalResponse[] = "triton_final_response";

// Where a request came from: kEmptyFinalResponse is taken from the parameters on streams, and left for the
// service to refuse elsewhere.
enum class InferOrigin { kCall, kStream };

// InvalidArgument for what breaks a rule of the wire, OutOfRange for what is over a limit. `message` is never
// null.
absl::StatusOr<InferRequest> DecodeInferRequest(std::shared_ptr<const inference::ModelInferRequest> message,
                                                InferOrigin origin, const InferCodecLimits& limits = {});

// gRPC carries messages below 2 GiB; the rest is for what stands beside the data.
inline constexpr uint64_t kMaxAnswerBytes =
    uint64_t{std::numeric_limits<int32_t>::max()} - (uint64_t{1} << 20);

// Every output in raw form; one in shared memory has an empty entry, and says where it is. OutOfRange for
// data of more than `max_bytes`.
absl::Status EncodeInferResponse(const InferResponse& response, inference::ModelInferResponse& message,
                                 uint64_t max_bytes = kMaxAnswerBytes);

}  // namespace waystone
