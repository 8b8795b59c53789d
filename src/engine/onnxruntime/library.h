// SPDX-License-Identifier: Apache-2.0
//
// Finds and opens libonnxruntime.so. It is opened at run time and not linked because its symbols carry the
// release in their version: a linked program starts with no other release, while the C API is stable and an
// older header works with every newer library. So a GPU build can take the place of the one that was fetched.
// Not thread-safe; called once.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace waystone {

struct OnnxRuntimeLibrary {
  std::string path;
  std::string version;
};

// Opens the library and gives its API to the C++ wrapper. It is the file that the environment variable
// WAYSTONE_ONNXRUNTIME names, else `module_folder`/onnxruntime/libonnxruntime.so, else the one of the build.
// FailedPrecondition says which file and what is wrong with it. The library stays open for the life of the
// process.
absl::StatusOr<OnnxRuntimeLibrary> OpenOnnxRuntime(const std::string& module_folder);

}  // namespace waystone
