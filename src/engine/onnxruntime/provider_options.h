// SPDX-License-Identifier: Apache-2.0
//
// From the options of model.yaml, documented in docs/engines.md, to the keys of ONNX Runtime's CUDA and
// TensorRT execution providers. Kept apart from the calls so that it is tested without a GPU. Pure functions:
// thread-safe.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "absl/status/statusor.h"

#include "engine/engine.h"

namespace waystone {

// As the provider wants them; also which precision they make the model run at.
struct ProviderOptions {
  std::unordered_map<std::string, std::string> keys;
  std::string precision;
};

// device_id, memory_limit_mb. Float32 is computed as such: TF32 is switched off.
absl::StatusOr<ProviderOptions> CudaOptions(const LoadOptions& options);

// device_id, workspace_mb, fp16, int8, int8_calibration_table, cache_dir, builder_level. Without cache_dir
// the engine that TensorRT builds is kept in options.cache_dir; with neither it is built anew at each load.
// fp16 is another way to say precision f16. Where batch sizes and input shapes are both given they bound the
// one engine that is built.
absl::StatusOr<ProviderOptions> TensorRtOptions(const LoadOptions& options);

}  // namespace waystone
