// SPDX-License-Identifier: Apache-2.0
//
// A model's bytes to OpenVINO's graph: ONNX from memory; IR with its weights from the one .bin file in the
// model's folder; TensorFlow Lite by way of a private temporary file, since that frontend reads only files.
// Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include <openvino/runtime/core.hpp>

namespace waystone {

// InvalidArgument (the bytes or the folder are wrong), Unimplemented (an operation without a conversion),
// FailedPrecondition (no temporary file can be written). Throws nothing.
absl::StatusOr<std::shared_ptr<ov::Model>> ReadOpenVinoModel(const ov::Core& core, std::string_view bytes,
                                                             const std::string& format,
                                                             const std::string& folder);

}  // namespace waystone
