// SPDX-License-Identifier: Apache-2.0
//
// As much of TensorFlow Lite's C API as the adapter calls, declared anew so that the module builds without
// any package's headers: tensorflow/lite/core/c/{c_api.h, c_api_types.h, c_api_experimental.h},
// tensorflow/lite/delegates/xnnpack/xnnpack_delegate.h and
// tensorflow/lite/delegates/external/external_delegate_interface.h of TensorFlow 2.21 (Apache-2.0). The
// pointers are looked up in a library at run time (library.h); a member is called like its function without
// TfLite. Objects are as thread-safe as the API says: a model may serve interpreters on any threads, an
// interpreter and its delegate are confined to one at a time.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>

namespace waystone::tfl {

struct Model;
struct InterpreterOptions;
struct Interpreter;
struct Tensor;
struct Delegate;

// TfLiteStatus; there are more.
enum Status : int { kOk = 0, kError = 1, kDelegateError = 2, kApplicationError = 3 };

// TfLiteType, those that a tensor of ours can have.
enum Type : int {
  kFloat32 = 1,
  kInt32 = 2,
  kUint8 = 3,
  kInt64 = 4,
  kBool = 6,
  kInt16 = 7,
  kInt8 = 9,
  kFloat16 = 10,
  kFloat64 = 11,
  kUint64 = 13,
  kUint32 = 16,
  kUint16 = 17,
  kBfloat16 = 19
};

// TfLiteXNNPackDelegateOptions is longer than what fits registers, so the library returns it through a hidden
// pointer and writes only its own part, which has grown from release to release: there is room for more.
struct XnnPackOptions {
  int32_t num_threads;
  unsigned char rest[1020];
};

using ErrorReporter = void (*)(void* user_data, const char* format, va_list args);

struct Api {
  const char* (*version)();
  // The bytes stay the caller's and outlive the model. Null where they are no well-formed FlatBuffer.
  Model* (*model_create_with_error_reporter)(const void* bytes, size_t size, ErrorReporter reporter,
                                             void* user_data);
  void (*model_delete)(Model* model);

  InterpreterOptions* (*interpreter_options_create)();
  void (*interpreter_options_delete)(InterpreterOptions* options);
  void (*interpreter_options_set_num_threads)(InterpreterOptions* options, int32_t threads);
  // The interpreter keeps reporter and user_data.
  void (*interpreter_options_set_error_reporter)(InterpreterOptions* options, ErrorReporter reporter,
                                                 void* user_data);

  Interpreter* (*interpreter_create)(const Model* model, const InterpreterOptions* options);
  void (*interpreter_delete)(Interpreter* interpreter);
  int32_t (*interpreter_get_input_tensor_count)(const Interpreter* interpreter);
  Tensor* (*interpreter_get_input_tensor)(const Interpreter* interpreter, int32_t index);
  int32_t (*interpreter_get_output_tensor_count)(const Interpreter* interpreter);
  const Tensor* (*interpreter_get_output_tensor)(const Interpreter* interpreter, int32_t index);
  Status (*interpreter_resize_input_tensor)(Interpreter* interpreter, int32_t index, const int* dims,
                                            int32_t rank);
  Status (*interpreter_allocate_tensors)(Interpreter* interpreter);
  // The delegate outlives the interpreter.
  Status (*interpreter_modify_graph_with_delegate)(const Interpreter* interpreter, Delegate* delegate);
  Status (*interpreter_reset_variable_tensors)(Interpreter* interpreter);
  Status (*interpreter_invoke)(Interpreter* interpreter);

  Type (*tensor_type)(const Tensor* tensor);
  int32_t (*tensor_num_dims)(const Tensor* tensor);  // -1: not known yet
  int32_t (*tensor_dim)(const Tensor* tensor, int32_t axis);
  size_t (*tensor_byte_size)(const Tensor* tensor);
  void* (*tensor_data)(const Tensor* tensor);  // null before it is allocated
  const char* (*tensor_name)(const Tensor* tensor);

  XnnPackOptions (*xnnpack_delegate_options_default)();
  Delegate* (*xnnpack_delegate_create)(const XnnPackOptions* options);
  void (*xnnpack_delegate_delete)(Delegate* delegate);
};

// What the library of an external delegate exports. The strings and arrays are the caller's; a null result is
// a refusal, with its reason given to report_error.
using CreateDelegate = Delegate* (*)(const char* const* keys, const char* const* values, size_t count,
                                     void (*report_error)(const char* text));
using DestroyDelegate = void (*)(Delegate* delegate);
inline constexpr char kCreateDelegate[] = "tflite_plugin_create_delegate";
inline constexpr char kDestroyDelegate[] = "tflite_plugin_destroy_delegate";

}  // namespace waystone::tfl
