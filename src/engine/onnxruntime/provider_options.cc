// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/provider_options.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

#include "base/log.h"
#include "base/status.h"
#include "engine/load_checks.h"

namespace waystone {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;
constexpr int64_t kMaxMebibytes = int64_t{1} << 22;  // 4 TiB: beyond any device, and far from overflow

// Reads the options by name, with the provider in its errors.
class OptionReader {
 public:
  OptionReader(absl::string_view provider, const std::map<std::string, std::string>& options)
      : provider_(provider), options_(options) {}

  bool Has(const std::string& name) const { return options_.contains(name); }
  std::string Text(const std::string& name) const {
    const auto option = options_.find(name);
    return option == options_.end() ? std::string() : option->second;
  }

  absl::StatusOr<int64_t> Integer(const std::string& name, int64_t least, int64_t most) const {
    int64_t value = 0;
    if (absl::SimpleAtoi(Text(name), &value) && value >= least && value <= most) return value;
    return absl::InvalidArgumentError(absl::StrCat(provider_, "'s option ", name, " is '",
                                                   LogSafe(Text(name)), "'; it takes a whole number from ",
                                                   least, " to ", most));
  }

  // False when the option is not there.
  absl::StatusOr<bool> Flag(const std::string& name) const {
    bool value = false;
    if (!Has(name) || absl::SimpleAtob(Text(name), &value)) return value;
    return absl::InvalidArgumentError(absl::StrCat(provider_, "'s option ", name, " is '",
                                                   LogSafe(Text(name)), "'; it takes true or false"));
  }

 private:
  absl::string_view provider_;
  const std::map<std::string, std::string>& options_;
};

absl::Status SetDevice(const OptionReader& reader, ProviderOptions& provider) {
  if (!reader.Has("device_id")) return absl::OkStatus();
  WAYSTONE_ASSIGN_OR_RETURN(const int64_t id, reader.Integer("device_id", 0, 1024));
  provider.keys["device_id"] = absl::StrCat(id);
  return absl::OkStatus();
}

// "name:2x3x416x416,..." for every input at `batch`; nothing when a name cannot be written that way.
std::optional<std::string> ProfileShapes(const std::map<std::string, Shape>& shapes, int batch) {
  std::vector<std::string> profiles;
  for (const auto& [name, shape] : shapes) {
    if (name.empty() || shape.rank() == 0 || name.find_first_of(":,") != std::string::npos)
      return std::nullopt;
    std::vector<int64_t> dims = shape.dims();
    dims[0] = batch;
    profiles.push_back(absl::StrCat(name, ":", absl::StrJoin(dims, "x")));
  }
  return absl::StrJoin(profiles, ",");
}

void SetProfile(const LoadOptions& options, ProviderOptions& provider) {
  if (options.batch_sizes.empty() || options.input_shapes.empty()) return;
  const auto [least, most] = std::minmax_element(options.batch_sizes.begin(), options.batch_sizes.end());
  const std::optional<std::string> smallest = ProfileShapes(options.input_shapes, *least);
  const std::optional<std::string> largest = ProfileShapes(options.input_shapes, *most);
  if (!smallest || !largest) return;
  provider.keys["trt_profile_min_shapes"] = *smallest;
  provider.keys["trt_profile_max_shapes"] = *largest;
  provider.keys["trt_profile_opt_shapes"] = *largest;
}

// Sets the precision that the options and LoadOptions agree on.
absl::Status SetPrecision(const OptionReader& reader, const LoadOptions& options, ProviderOptions& provider) {
  WAYSTONE_ASSIGN_OR_RETURN(const bool fp16, reader.Flag("fp16"));
  WAYSTONE_ASSIGN_OR_RETURN(const bool int8, reader.Flag("int8"));
  if (fp16 && options.precision == "bf16") {
    return absl::InvalidArgumentError("TensorRT's option fp16 contradicts the precision bf16");
  }
  provider.precision = fp16 ? "f16" : options.precision;
  if (provider.precision == "f16") provider.keys["trt_fp16_enable"] = "1";
  if (provider.precision == "bf16") provider.keys["trt_bf16_enable"] = "1";
  if (int8) provider.keys["trt_int8_enable"] = "1";
  if (!reader.Has("int8_calibration_table")) return absl::OkStatus();
  if (!int8) return absl::InvalidArgumentError("TensorRT's option int8_calibration_table needs int8: true");
  provider.keys["trt_int8_calibration_table_name"] = reader.Text("int8_calibration_table");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ProviderOptions> CudaOptions(const LoadOptions& options) {
  constexpr absl::string_view kKnown[] = {"device_id", "memory_limit_mb"};
  WAYSTONE_RETURN_IF_ERROR(CheckOptionNames("the CUDA provider", options.device_options, kKnown));
  const OptionReader reader("CUDA", options.device_options);
  ProviderOptions provider = {{{"use_tf32", "0"}}, options.precision};
  WAYSTONE_RETURN_IF_ERROR(SetDevice(reader, provider));
  if (reader.Has("memory_limit_mb")) {
    WAYSTONE_ASSIGN_OR_RETURN(const int64_t limit, reader.Integer("memory_limit_mb", 1, kMaxMebibytes));
    provider.keys["gpu_mem_limit"] = absl::StrCat(limit * kMebibyte);
  }
  return provider;
}

absl::StatusOr<ProviderOptions> TensorRtOptions(const LoadOptions& options) {
  constexpr absl::string_view kKnown[] = {
      "device_id", "workspace_mb", "fp16", "int8", "int8_calibration_table", "cache_dir", "builder_level"};
  WAYSTONE_RETURN_IF_ERROR(CheckOptionNames("the TensorRT provider", options.device_options, kKnown));
  const OptionReader reader("TensorRT", options.device_options);
  ProviderOptions provider;
  WAYSTONE_RETURN_IF_ERROR(SetDevice(reader, provider));
  WAYSTONE_RETURN_IF_ERROR(SetPrecision(reader, options, provider));
  if (reader.Has("workspace_mb")) {
    WAYSTONE_ASSIGN_OR_RETURN(const int64_t workspace, reader.Integer("workspace_mb", 1, kMaxMebibytes));
    provider.keys["trt_max_workspace_size"] = absl::StrCat(workspace * kMebibyte);
  }
  if (reader.Has("builder_level")) {
    WAYSTONE_ASSIGN_OR_RETURN(const int64_t level, reader.Integer("builder_level", 0, 5));
    provider.keys["trt_builder_optimization_level"] = absl::StrCat(level);
  }
  const std::string cache_dir = reader.Has("cache_dir") ? reader.Text("cache_dir") : options.cache_dir;
  if (!cache_dir.empty()) {
    provider.keys["trt_engine_cache_enable"] = "1";
    provider.keys["trt_engine_cache_path"] = cache_dir;
    provider.keys["trt_timing_cache_enable"] = "1";
    provider.keys["trt_timing_cache_path"] = cache_dir;
  }
  SetProfile(options, provider);
  return provider;
}

}  // namespace waystone
