// SPDX-License-Identifier: Apache-2.0
//
// Between ONNX Runtime's vocabulary and ours: element types, signatures, and exceptions made into statuses.
// Pure functions: thread-safe.
#pragma once

#include <exception>
#include <new>
#include <onnxruntime_cxx_api.h>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "types/data_type.h"
#include "types/model_signature.h"

namespace waystone {

ONNXTensorElementDataType ToOnnxRuntime(DataType type);

// Unimplemented for an input or output that is no tensor or has elements that a tensor of ours cannot have.
absl::StatusOr<ModelSignature> DescribeSession(const Ort::Session& session);

// Unimplemented where the library says so, else `code`; its text is kept, on one line.
absl::Status StatusFromException(absl::StatusCode code, absl::string_view doing, const Ort::Exception& error);

// Runs `call`, which returns a Status or StatusOr, and makes a status of whatever it throws.
template <typename Call>
auto Guarded(absl::StatusCode code, absl::string_view doing, const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const Ort::Exception& error) {
    return StatusFromException(code, doing, error);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(std::string(doing) + ": out of memory");
  } catch (const std::exception& error) {
    return absl::Status(code, std::string(doing) + ": " + error.what());
  } catch (...) {
    return absl::Status(code, std::string(doing) + ": an exception without a text");
  }
}

}  // namespace waystone
