// SPDX-License-Identifier: Apache-2.0
//
// The parameters of inference messages: those of a request as the service takes them, and those of tensors
// that say where its data are and how to answer. Unknown ones of a tensor are ignored. Thread-safe (pure).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include <google/protobuf/map.h>

#include "grpc/infer_codec.h"
#include "proto/grpc_service.pb.h"
#include "serving/infer.h"

namespace waystone {

using ParameterMap = google::protobuf::Map<std::string, inference::InferParameter>;

// OutOfRange, with `what` ("the model's name"), for text over `max_bytes`.
absl::Status CheckLength(absl::string_view what, size_t bytes, size_t max_bytes);
absl::Status CheckCount(absl::string_view what, size_t count, size_t max_count);

absl::StatusOr<std::map<std::string, InferParameter>> DecodeParameters(const ParameterMap& parameters,
                                                                       const InferCodecLimits& limits);

// shared_memory_region, _offset and _byte_size of a tensor; nothing where it names no region. `tensor` is for
// messages.
absl::StatusOr<std::optional<SharedMemoryPart>> DecodeSharedMemory(absl::string_view tensor,
                                                                   const ParameterMap& parameters,
                                                                   const InferCodecLimits& limits);
absl::StatusOr<RequestedOutput> DecodeRequestedOutput(
    const inference::ModelInferRequest::InferRequestedOutputTensor& output, const InferCodecLimits& limits);

}  // namespace waystone
