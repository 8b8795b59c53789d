// SPDX-License-Identifier: Apache-2.0
//
// Between TensorFlow Lite's vocabulary and ours: element types, shapes, signatures, and what its error
// reporter said made into statuses. Pure functions: thread-safe; an ErrorLog is confined to its interpreter.
#pragma once

#include <cstdarg>
#include <exception>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "engine/guarded.h"
#include "engine/tflite/c_api.h"
#include "engine/tflite_check.h"
#include "types/data_type.h"
#include "types/model_signature.h"
#include "types/shape.h"

namespace waystone {

// Keeps what the library reports, up to a length. The library holds its address: it stays where it is made.
class ErrorLog {
 public:
  ErrorLog() = default;
  ErrorLog(const ErrorLog&) = delete;
  ErrorLog& operator=(const ErrorLog&) = delete;

  // A tfl::ErrorReporter; `log` is the ErrorLog.
  static void Report(void* log, const char* format, va_list args);

  void Clear() { text_.clear(); }
  // Unimplemented where the library knew no such operator, else `code`; the texts on one line.
  absl::Status ToStatus(absl::StatusCode code, absl::string_view doing) const;

 private:
  std::string text_;
};

// Nothing for the types that a tensor of ours cannot have: strings, complex numbers, 4-bit integers, handles.
std::optional<DataType> FromTfLite(tfl::Type type);

// The shape a tensor has now; nothing while it has none.
std::optional<Shape> ShapeOf(const tfl::Api& api, const tfl::Tensor* tensor);

// Names and types from an interpreter whose tensors are allocated, shapes from the file. Unimplemented for an
// element type that a tensor of ours cannot have.
absl::StatusOr<ModelSignature> DescribeInterpreter(const tfl::Api& api, const tfl::Interpreter& interpreter,
                                                   const TfLiteGraph& graph);

// `code` and the error's text: the library is C++ inside and lets exceptions out.
absl::Status StatusFromException(absl::StatusCode code, absl::string_view doing, const std::exception& error);

// Guarded of engine/guarded.h with this library's errors.
template <typename Call>
auto Guarded(absl::StatusCode code, absl::string_view doing, const Call& call) -> decltype(call()) {
  return Guarded(code, doing, call, StatusFromException);
}

}  // namespace waystone
