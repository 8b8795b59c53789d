// SPDX-License-Identifier: Apache-2.0
//
// The checks between a request and a run, done once for all protocols: names, types, shapes, sizes, and the
// parameters that the protocol reserves. What passes is a plan that a run can follow without looking again.
// Thread-safe (no state).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "base/deadline.h"
#include "serving/infer.h"
#include "types/model_signature.h"
#include "types/tensor.h"

namespace waystone {

// What a model takes and gives over the wire.
struct InferSignature {
  ModelSignature tensors;
  // The most rows that one run takes; 0 for a model without a batch axis, whose tensors are taken whole.
  int64_t max_batch = 0;
  // The position of the input that also takes encoded pictures as BYTES; nothing: none does.
  std::optional<size_t> picture_input;
};

struct PlannedOutput {
  size_t index = 0;            // in the signature
  int64_t classification = 0;  // 0: the tensor itself
};

struct InferPlan {
  int64_t rows = 1;
  std::vector<TensorView> inputs;          // in the order of the signature; the picture input's has no data
  std::vector<std::string_view> pictures;  // of each row, where they came encoded
  std::vector<PlannedOutput> outputs;
};

// InvalidArgument says which tensor is wrong and what was wanted; nothing is computed from a shape before it
// is known not to overflow.
absl::StatusOr<InferPlan> PlanInfer(const InferRequest& request, const InferSignature& signature);

// What the reserved parameters say.
struct InferTerms {
  int priority = 0;  // 0: the model's default
  Deadline deadline = Deadline::Never();
};
// InvalidArgument for reserved names and for values of a wrong kind; Unimplemented for sequences.
absl::StatusOr<InferTerms> ReadParameters(const InferRequest& request);

// The plan's rows [begin, begin + rows).
InferPlan PartOf(const InferPlan& plan, int64_t begin, int64_t rows);

}  // namespace waystone
