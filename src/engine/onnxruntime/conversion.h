// SPDX-License-Identifier: Apache-2.0
//
// Between ONNX Runtime's vocabulary and ours: element types, signatures, and exceptions made into statuses.
// Pure functions: thread-safe.
#pragma once

#include <exception>
#include <onnxruntime_cxx_api.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "engine/guarded.h"
#include "types/data_type.h"
#include "types/model_signature.h"

namespace waystone {

ONNXTensorElementDataType ToOnnxRuntime(DataType type);

// Unimplemented for an input or output that is no tensor or has elements that a tensor of ours cannot have.
absl::StatusOr<ModelSignature> DescribeSession(const Ort::Session& session);

// Unimplemented where the library says so, else `code`; its text is kept, on one line.
absl::Status StatusFromException(absl::StatusCode code, absl::string_view doing, const std::exception& error);

// Guarded of engine/guarded.h with this library's errors.
template <typename Call>
auto Guarded(absl::StatusCode code, absl::string_view doing, const Call& call) -> decltype(call()) {
  return Guarded(code, doing, call, StatusFromException);
}

}  // namespace waystone
