// SPDX-License-Identifier: Apache-2.0
//
// Bytes of the wire, measured and parsed as a ModelInferRequest and decoded with small limits. What is
// accepted keeps within them, and every tensor has its data inside what the request keeps; its echo can be
// encoded.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "base/check.h"
#include "grpc/call_status.h"
#include "grpc/infer_codec.h"
#include "grpc/message_codec.h"

namespace waystone {
namespace {

constexpr uint64_t kMaxParsedBytes = 1 << 20;
const InferCodecLimits kLimits{.max_inputs = 4,
                               .max_outputs = 4,
                               .max_parameters = 4,
                               .max_rank = 4,
                               .max_name_bytes = 32,
                               .max_parameter_bytes = 64};

void CheckRequest(const InferRequest& request) {
  WAYSTONE_CHECK(request.inputs.size() <= kLimits.max_inputs, "inputs within the limit");
  WAYSTONE_CHECK(request.outputs.size() <= kLimits.max_outputs, "outputs within the limit");
  WAYSTONE_CHECK(request.parameters.size() <= kLimits.max_parameters, "parameters within the limit");
  WAYSTONE_CHECK(request.model.size() <= kLimits.max_name_bytes, "a name within the limit");
  for (const char digit : request.version)
    WAYSTONE_CHECK(digit >= '0' && digit <= '9', "a version of digits");
  for (const InferTensor& input : request.inputs) {
    WAYSTONE_CHECK(input.shape.rank() <= kLimits.max_rank, "a rank within the limit");
    WAYSTONE_CHECK(!input.shared_memory || input.data.empty(), "data in one place");
    uint8_t sum = 0;  // reads every byte: the sanitizer sees those that are not there
    for (const std::byte byte : input.data) sum = static_cast<uint8_t>(sum + static_cast<uint8_t>(byte));
    volatile uint8_t used = sum;
    (void)used;
  }
  for (const RequestedOutput& output : request.outputs) {
    WAYSTONE_CHECK(output.classification >= 0, "a number of classes");
    WAYSTONE_CHECK(output.classification == 0 || !output.shared_memory, "one form of answer");
  }
}

void CheckError(const absl::Status& status) {
  const grpc::Status told = ToGrpcStatus(status);
  WAYSTONE_CHECK(!told.error_message().empty(), "a refusal says why");
  WAYSTONE_CHECK(told.error_message().size() <= kMaxErrorBytes, "in few words");
}

}  // namespace
}  // namespace waystone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  google::protobuf::io::ArrayInputStream wire(data, static_cast<int>(size), 5);
  const absl::StatusOr<uint64_t> bytes =
      waystone::ParsedBytes(wire, *inference::ModelInferRequest::descriptor(), waystone::kMaxParsedBytes);
  if (!bytes.ok()) {
    waystone::CheckError(bytes.status());
    return 0;
  }
  auto message = std::make_shared<inference::ModelInferRequest>();
  if (!message->ParseFromArray(data, static_cast<int>(size))) return 0;  // text that is not UTF-8
  WAYSTONE_CHECK(message->SpaceUsedLong() <= *bytes, "the estimate covers the message");
  for (const waystone::InferOrigin origin : {waystone::InferOrigin::kCall, waystone::InferOrigin::kStream}) {
    const absl::StatusOr<waystone::InferRequest> request =
        waystone::DecodeInferRequest(message, origin, waystone::kLimits);
    if (!request.ok()) {
      waystone::CheckError(request.status());
      continue;
    }
    waystone::CheckRequest(*request);
    const waystone::InferResponse echo{.model = request->model,
                                       .version = request->version,
                                       .id = request->id,
                                       .outputs = request->inputs,
                                       .memory = request->memory};
    inference::ModelInferResponse response;
    WAYSTONE_CHECK(waystone::EncodeInferResponse(echo, response).ok(), "an echo can be encoded");
    WAYSTONE_CHECK(response.raw_output_contents_size() == response.outputs_size(),
                   "one entry for each output");
  }
  return 0;
}
