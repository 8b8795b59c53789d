// SPDX-License-Identifier: Apache-2.0
//
// Finds and opens the TensorFlow Lite library. It is opened at run time because no package that the set-up
// may fetch has it: where it is missing the engine says so and the program does without. It exports thousands
// of C++ symbols (abseil, XNNPACK, FlatBuffers of its own versions), so it is opened privately and only the
// functions of its C API are taken. Not thread-safe; called once.
#pragma once

#include <string>

#include "absl/status/statusor.h"

#include "engine/tflite/c_api.h"

namespace waystone {

struct TfLiteLibrary {
  std::string path;
  std::string version;
  tfl::Api api;
};

// Opens the file that the environment variable WAYSTONE_TFLITE names and no other; else
// libtensorflowlite_c.so or libjnitensorflowlite.so in `module_folder`/tflite, else in the WAYSTONE_HOME of
// the build. FailedPrecondition says what is missing or wrong with which file, and what to do. The library
// stays open for the life of the process.
absl::StatusOr<TfLiteLibrary> OpenTfLite(const std::string& module_folder);

}  // namespace waystone
