// SPDX-License-Identifier: Apache-2.0
//
// Infer requests of any content, split into JSON and binary data anywhere: an error, or tensors that lie in
// memory and fit what they state.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "http/oip_request.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace waystone;
  if (size < 2) return 0;
  const size_t split = (size_t{data[0]} << 8 | data[1]) % size;
  std::string body(reinterpret_cast<const char*>(data) + 2, size - 2);
  OipLimits limits;
  limits.max_tensor_bytes = 1 << 16;
  const std::optional<uint64_t> json = split <= body.size() ? std::optional<uint64_t>(split) : std::nullopt;
  const auto request = ReadOipRequest(std::move(body), json, limits);
  if (!request.ok()) {
    WAYSTONE_CHECK(!request.status().message().empty(), "an error says what is wrong");
    return 0;
  }
  WAYSTONE_CHECK(request->binary_outputs.size() == request->infer.outputs.size(), "each output has its form");
  unsigned sum = 0;
  for (const InferTensor& input : request->infer.inputs) {
    for (const std::byte byte : input.data) sum |= static_cast<unsigned>(byte);
    WAYSTONE_CHECK(input.shape.is_static(), "no dimension is open");
  }
  WAYSTONE_CHECK(sum < 256, "every byte was read");
  return 0;
}
