// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the inference codec share: building requests and stating what is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grpc/infer_codec.h"

namespace waystone {

// An input of the given type and shape.
inline inference::ModelInferRequest::InferInputTensor& AddInput(inference::ModelInferRequest& message,
                                                                const std::string& name,
                                                                const std::string& type,
                                                                std::vector<int64_t> shape) {
  auto& input = *message.add_inputs();
  input.set_name(name);
  input.set_datatype(type);
  input.mutable_shape()->Add(shape.begin(), shape.end());
  return input;
}

inline absl::StatusOr<InferRequest> Decode(inference::ModelInferRequest message,
                                           InferOrigin origin = InferOrigin::kCall,
                                           const InferCodecLimits& limits = {}) {
  return DecodeInferRequest(std::make_shared<const inference::ModelInferRequest>(std::move(message)), origin,
                            limits);
}

inline void ExpectRefused(const inference::ModelInferRequest& message, absl::StatusCode code,
                          const std::string& text, const InferCodecLimits& limits = {}) {
  const absl::StatusOr<InferRequest> request = Decode(message, InferOrigin::kCall, limits);
  EXPECT_EQ(request.status().code(), code) << request.status();
  EXPECT_THAT(std::string(request.status().message()), testing::HasSubstr(text));
}

inline void ExpectInvalid(const inference::ModelInferRequest& message, const std::string& text) {
  ExpectRefused(message, absl::StatusCode::kInvalidArgument, text);
}

}  // namespace waystone
