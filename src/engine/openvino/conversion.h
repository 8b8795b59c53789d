// SPDX-License-Identifier: Apache-2.0
//
// Between OpenVINO's vocabulary and ours: element types, shapes, signatures, and exceptions made into
// statuses. Pure functions: thread-safe.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include <openvino/core/model.hpp>
#include <openvino/core/partial_shape.hpp>
#include <openvino/core/type/element_type.hpp>

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
absl::Status StatusFromText(absl::StatusCode code, absl::string_view doing, absl::string_view text);

// Runs `call`, which returns a Status or StatusOr, and makes a status of whatever it throws.
template <typename Call>
auto Guarded(absl::StatusCode code, absl::string_view doing, const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(std::string(doing) + ": out of memory");
  } catch (const std::exception& error) {
    return StatusFromText(code, doing, error.what());
  } catch (...) {
    return StatusFromText(code, doing, "an exception without a text");
  }
}

}  // namespace waystone
