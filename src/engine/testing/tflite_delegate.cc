// SPDX-License-Identifier: Apache-2.0
//
// An external delegate for TensorFlow Lite, for tests: it takes no operator, and its options make it fail.
//   refuse: TEXT    creating it fails with this text
//   fail: true      it does not take the graph
//   extra: KEY      any other option is refused by its name
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/tflite/c_api.h"

namespace {

using waystone::tfl::Delegate;

// TfLiteDelegate of tensorflow/lite/core/c/common.h.
struct DelegateLayout {
  void* data;
  int (*prepare)(void* context, Delegate* delegate);
  void* copy_from_buffer_handle;
  void* copy_to_buffer_handle;
  void* free_buffer_handle;
  int64_t flags;
  void* opaque_delegate_builder;
};

int alive = 0;

int TakeNothing(void* /*context*/, Delegate* /*delegate*/) { return 0; }
int Fail(void* /*context*/, Delegate* /*delegate*/) { return 1; }

}  // namespace

extern "C" {

__attribute__((visibility("default"))) Delegate* tflite_plugin_create_delegate(
    const char* const* keys, const char* const* values, size_t count, void (*report_error)(const char*)) {
  auto* prepare = TakeNothing;
  for (size_t i = 0; i < count; ++i) {
    if (std::string_view(keys[i]) == "fail") {
      prepare = Fail;
      continue;
    }
    report_error(std::string_view(keys[i]) == "refuse" ? values[i] : keys[i]);
    return nullptr;
  }
  ++alive;
  return reinterpret_cast<Delegate*>(
      new DelegateLayout{nullptr, prepare, nullptr, nullptr, nullptr, 0, nullptr});
}

__attribute__((visibility("default"))) void tflite_plugin_destroy_delegate(Delegate* delegate) {
  if (delegate != nullptr) --alive;
  delete reinterpret_cast<DelegateLayout*>(delegate);
}

// How many there are.
__attribute__((visibility("default"))) int waystone_test_delegates() { return alive; }
}
