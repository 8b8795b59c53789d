// SPDX-License-Identifier: Apache-2.0
//
// Output tensors to answers. Tensor values are outside input too: NaN, infinities and wrong shapes give an
// error or are left out, never undefined behaviour. A Decoder is immutable and thread-safe.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

#include "types/model_signature.h"
#include "types/model_spec.h"
#include "types/prediction.h"
#include "types/tensor.h"

namespace waystone {

class Decoder {
 public:
  virtual ~Decoder() = default;
  // `outputs` in the order of DecoderSpec::outputs, each with the batch as first axis; `row` is the
  // picture's. InvalidArgument when a shape or type is not what this decoder reads; the text says which and
  // what was wanted.
  virtual absl::StatusOr<Answers> Decode(std::span<const TensorView> outputs, int64_t row,
                                         const InputGeometry& geometry,
                                         const ThresholdSpec& thresholds) const = 0;
  // Checks what the model declares of its outputs, in the same order, and says how many classes there are
  // without background ones; kDynamicDim when the model leaves that open or its task has no classes.
  // InvalidArgument as Decode().
  virtual absl::StatusOr<int64_t> CountClasses(std::span<const TensorSignature> outputs) const = 0;
};

// The task whose field a decoder of this kind fills.
Task TaskOf(DecoderKind kind);

// Makes the decoder the spec names. InvalidArgument when its fields are impossible.
absl::StatusOr<std::unique_ptr<Decoder>> MakeDecoder(const ModelSpec& spec);

}  // namespace waystone
