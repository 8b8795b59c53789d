// SPDX-License-Identifier: Apache-2.0
//
// Between OpenVINO's vocabulary and ours: element types, shapes, signatures, and exceptions made into
// statuses. Pure functions: thread-safe.
#pragma once

#include <exception>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include <openvino/core/model.hpp>
#include <openvino/core/partial_shape.hpp>
#include <openvino/core/type/element_type.hpp>

#include "engine/guarded.h"
#include "types/data_type.h"
#include "types/model_signature.h"
#include "types/shape.h"

namespace waystone {

ov::element::Type ToOpenVino(DataType type);
ov::Shape ToOpenVino(const Shape& static_shape);
ov::PartialShape ToPartialShape(const Shape& shape);
// Bounded dimensions become dynamic ones.
Shape FromOpenVino(const ov::PartialShape& shape);

// Unimplemented for an element type that a tensor of ours cannot have, and for an output of unknown rank;
// InvalidArgument for a model without outputs, which empty bytes make.
absl::StatusOr<ModelSignature> DescribeModel(const ov::Model& model);

// The library's text on one line without its source positions. Unimplemented where it says that an operation
// has no conversion, else `code`.
absl::Status StatusFromException(absl::StatusCode code, absl::string_view doing, const std::exception& error);

// Guarded of engine/guarded.h with this library's errors.
template <typename Call>
auto Guarded(absl::StatusCode code, absl::string_view doing, const Call& call) -> decltype(call()) {
  return Guarded(code, doing, call, StatusFromException);
}

}  // namespace waystone
