// SPDX-License-Identifier: Apache-2.0
//
// One inference as every protocol sees it: named tensors in, named tensors out. Codecs fill the request from
// what came over the wire and check only what their wire format demands; names, types, shapes, sizes and
// parameters are checked once, by the service. Tensors borrow: `memory` of the same message keeps what they
// point to. Values; thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

#include "base/clock.h"
#include "base/deadline.h"
#include "types/data_type.h"
#include "types/shape.h"

namespace waystone {

// A part of a registered shared-memory region, bytes.
struct SharedMemoryPart {
  std::string region;
  uint64_t offset = 0;
  uint64_t byte_size = 0;
};

// Row-major, little-endian, without strides; BOOL is one byte. The type BYTES has no DataType: each of its
// elements is a little-endian u32 length and that many bytes.
struct InferTensor {
  std::string name;
  std::optional<DataType> type;  // nothing: BYTES
  Shape shape;
  std::span<const std::byte> data;
  std::optional<SharedMemoryPart> shared_memory;  // instead of data
};

struct RequestedOutput {
  std::string name;
  // n > 0: instead of the tensor its n largest values, as BYTES "value:index[:label]" of shape [batch, k].
  int64_t classification = 0;
  std::optional<SharedMemoryPart> shared_memory;  // where the tensor is to be written
};

// bool, signed and unsigned integers, real numbers and text are told apart as the wire told them apart.
using InferParameter = std::variant<bool, int64_t, uint64_t, double, std::string>;

struct InferRequest {
  std::string model;
  std::string version;  // digits; empty: chosen by the model's version policy
  std::string id;       // echoed
  // As sent, without those that concern one protocol only (binary_data_output, ...). The service knows
  // priority, timeout (microseconds from `arrived`), sequence_id, sequence_start and sequence_end, and
  // refuses names that are reserved.
  std::map<std::string, InferParameter> parameters;
  std::vector<InferTensor> inputs;
  std::vector<RequestedOutput> outputs;   // empty: all of the model
  std::shared_ptr<const void> memory;     // keeps the inputs' data; may be empty when there is none
  size_t memory_bytes = 0;                // what it holds, where that is more than the data
  TimePoint arrived;                      // of the first byte
  Deadline deadline = Deadline::Never();  // of the transport; a shorter `timeout` parameter wins
  std::string stream;                     // newest frame wins among the requests of one stream; empty: none
  std::string tenant;                     // whose share of the machine it takes; empty: the common one
  std::function<bool()> cancelled;        // true once nobody waits for the answer; thread-safe; may be empty
};

struct InferResponse {
  std::string model;
  std::string version;
  std::string id;
  std::vector<InferTensor> outputs;    // in the order in which they were asked for, or the model's
  std::shared_ptr<const void> memory;  // keeps outputs that were made for this answer; may be empty
};

// Called exactly once, on any thread, also before the call that took it returns. The outputs may lie in the
// memory of the instance that made them: they are valid until the callback returns, so it encodes or copies
// them. An error may carry a refusal reason (types/refusal.h).
using InferCallback = std::function<void(absl::StatusOr<InferResponse>)>;

}  // namespace waystone
