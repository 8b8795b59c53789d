// SPDX-License-Identifier: Apache-2.0
//
// An ONNX model may name files that hold its weights, by any path. A library that follows such a path reads
// any file of the machine for whoever hands in the model, so the adapters look here first. Only as much of
// the protobuf wire format is read as leads to tensors (onnx.proto: ModelProto, GraphProto, NodeProto,
// AttributeProto, TensorProto, SparseTensorProto, FunctionProto, TrainingInfoProto); nothing is decoded or
// copied. Thread-safe (no state).
#pragma once

#include <string_view>

#include "absl/status/statusor.h"

namespace waystone {

// Whether a tensor of the model in `bytes` keeps its data in another file. InvalidArgument when the bytes are
// no protobuf message, or messages lie deeper than any real model nests them.
absl::StatusOr<bool> HasExternalData(std::string_view bytes);

}  // namespace waystone
