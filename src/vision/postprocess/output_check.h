// SPDX-License-Identifier: Apache-2.0
//
// What every decoder does with an output tensor before it reads one: compare its type and shape with what the
// decoder wants, and give the values of one picture as floats. One function serves tensors and a model's
// declared signature, so what loads is what runs. FP32 is read in place; other types are converted.
// Thread-safe (no state).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "types/data_type.h"
#include "types/model_signature.h"
#include "types/model_spec.h"
#include "types/shape.h"
#include "types/tensor.h"

namespace waystone {

// Type and shape of an output, from a tensor or from a signature.
struct OutputForm {
  DataType type = DataType::kFloat32;
  Shape shape;
};
std::vector<OutputForm> FormsOf(std::span<const TensorView> outputs);
std::vector<OutputForm> FormsOf(std::span<const TensorSignature> outputs);

// What output `index` is called in messages: its name in the spec, or its number.
std::string OutputName(const DecoderSpec& spec, size_t index);

absl::Status CheckOutputCount(size_t actual, size_t wanted);

// InvalidArgument unless `actual` is a tensor of floats whose dimensions are those of `wanted`; kDynamicDim
// on either side agrees with everything but zero.
absl::Status CheckOutput(const std::string& name, const OutputForm& actual, const Shape& wanted);

// The length of a row that lies along one axis, further axes of 1 allowed, of a tensor with a batch axis;
// kDynamicDim where it is open, nothing for another shape.
std::optional<int64_t> FlatRow(const Shape& shape);

// Whether OutputRow reads this type.
bool IsReadable(DataType type);

// The classes of an output with `all` of them that are not background; kDynamicDim where open.
// InvalidArgument where nothing but background is left, or with more than CheckClassCount allows.
absl::StatusOr<int64_t> ClassesWithoutBackground(const std::string& name, int64_t all, int background);

// InvalidArgument for a number of classes beyond what any detector has: memory is taken for each.
absl::Status CheckClassCount(const std::string& name, int64_t classes);

// The values of one picture of a batch. Move-only, since it may point into itself.
class OutputRow {
 public:
  // InvalidArgument for a row outside the batch, a type that is not a number of up to 32 bits, or data of a
  // size other than the shape's.
  static absl::StatusOr<OutputRow> Read(const TensorView& output, int64_t row, const std::string& name);
  OutputRow(OutputRow&&) = default;
  OutputRow& operator=(OutputRow&&) = default;

  std::span<const float> values() const { return values_; }

 private:
  OutputRow() = default;
  std::vector<float> converted_;
  std::span<const float> values_;
};

}  // namespace waystone
