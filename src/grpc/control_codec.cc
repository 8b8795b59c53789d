// SPDX-License-Identifier: Apache-2.0
#include "grpc/control_codec.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

#include "grpc/call_status.h"

namespace waystone {
namespace {

constexpr char kUnloadDependents[] = "unload_dependents";

template <typename Message>
void EncodeTensors(const std::vector<TensorMetadata>& tensors, Message& list) {
  for (const TensorMetadata& tensor : tensors) {
    auto& message = *list.Add();
    message.set_name(tensor.name);
    message.set_datatype(tensor.datatype);
    message.mutable_shape()->Add(tensor.shape.begin(), tensor.shape.end());
  }
}

void Encode(const DurationStatistic& duration, inference::StatisticDuration& message) {
  message.set_count(duration.count);
  message.set_ns(duration.ns);
}

void Encode(const ModelStatistics& model, inference::ModelStatistics& message) {
  message.set_name(model.name);
  message.set_version(model.version);
  message.set_last_inference(model.last_inference_ms);
  message.set_inference_count(model.inference_count);
  message.set_execution_count(model.execution_count);
  inference::InferStatistics& times = *message.mutable_inference_stats();
  Encode(model.success, *times.mutable_success());
  Encode(model.fail, *times.mutable_fail());
  Encode(model.queue, *times.mutable_queue());
  Encode(model.compute_input, *times.mutable_compute_input());
  Encode(model.compute_infer, *times.mutable_compute_infer());
  Encode(model.compute_output, *times.mutable_compute_output());
  Encode(model.cache_hit, *times.mutable_cache_hit());
  Encode(model.cache_miss, *times.mutable_cache_miss());
  for (const BatchStatistics& batch : model.batches) {
    inference::InferBatchStatistics& one = *message.add_batch_stats();
    one.set_batch_size(batch.batch_size);
    Encode(batch.compute_input, *one.mutable_compute_input());
    Encode(batch.compute_infer, *one.mutable_compute_infer());
    Encode(batch.compute_output, *one.mutable_compute_output());
  }
  if (model.memory_bytes > 0) {
    inference::MemoryUsage& memory = *message.add_memory_usage();
    memory.set_type("CPU");
    memory.set_byte_size(model.memory_bytes);
  }
}

}  // namespace

void Encode(const ServerMetadata& metadata, inference::ServerMetadataResponse& message) {
  message.set_name(metadata.name);
  message.set_version(metadata.version);
  message.mutable_extensions()->Add(metadata.extensions.begin(), metadata.extensions.end());
}

void Encode(const ModelMetadata& metadata, inference::ModelMetadataResponse& message) {
  message.set_name(metadata.name);
  message.mutable_versions()->Add(metadata.versions.begin(), metadata.versions.end());
  message.set_platform(metadata.platform);
  EncodeTensors(metadata.inputs, *message.mutable_inputs());
  EncodeTensors(metadata.outputs, *message.mutable_outputs());
}

void Encode(const std::vector<ModelStatistics>& statistics, inference::ModelStatisticsResponse& message) {
  for (const ModelStatistics& model : statistics) Encode(model, *message.add_model_stats());
}

void Encode(const std::vector<ModelIndexEntry>& index, inference::RepositoryIndexResponse& message) {
  for (const ModelIndexEntry& entry : index) {
    auto& model = *message.add_models();
    model.set_name(entry.name);
    if (entry.version.empty() && entry.state == ModelState::kUnknown) continue;  // known by name only
    model.set_version(entry.version);
    model.set_state(Name(entry.state));
    model.set_reason(entry.reason);
  }
}

void Encode(const std::vector<SharedMemoryRegion>& regions,
            inference::SystemSharedMemoryStatusResponse& message) {
  for (const SharedMemoryRegion& region : regions) {
    auto& status = (*message.mutable_regions())[region.name];
    status.set_name(region.name);
    status.set_key(region.key);
    status.set_offset(region.offset);
    status.set_byte_size(region.byte_size);
  }
}

void Encode(const LogSettings& settings, inference::LogSettingsResponse& message) {
  for (const auto& [name, value] : settings) {
    auto& setting = (*message.mutable_settings())[name];
    if (const bool* flag = std::get_if<bool>(&value)) {
      setting.set_bool_param(*flag);
    } else if (const uint32_t* number = std::get_if<uint32_t>(&value)) {
      setting.set_uint32_param(*number);
    } else {
      setting.set_string_param(std::get<std::string>(value));
    }
  }
}

void Encode(const TraceSettings& settings, inference::TraceSettingResponse& message) {
  for (const auto& [name, values] : settings) {
    (*message.mutable_settings())[name].mutable_value()->Add(values.begin(), values.end());
  }
}

absl::StatusOr<RepositoryParameters> DecodeLoadParameters(const RepositoryParameterMap& parameters) {
  RepositoryParameters decoded;
  for (const auto& [name, parameter] : parameters) {
    switch (parameter.parameter_choice_case()) {
      case inference::ModelRepositoryParameter::kBoolParam:
        decoded[name] = parameter.bool_param();
        break;
      case inference::ModelRepositoryParameter::kInt64Param:
        decoded[name] = parameter.int64_param();
        break;
      case inference::ModelRepositoryParameter::kStringParam:
        decoded[name] = parameter.string_param();
        break;
      case inference::ModelRepositoryParameter::kBytesParam:
        decoded[name] = RepositoryBytes{parameter.bytes_param()};
        break;
      case inference::ModelRepositoryParameter::PARAMETER_CHOICE_NOT_SET:
        return absl::InvalidArgumentError(absl::StrCat("parameter '", WireName(name), "' has no value"));
    }
  }
  return decoded;
}

absl::StatusOr<bool> DecodeUnloadDependents(const RepositoryParameterMap& parameters) {
  bool unload_dependents = false;
  for (const auto& [name, parameter] : parameters) {
    if (name != kUnloadDependents) {
      return absl::InvalidArgumentError(
          absl::StrCat("parameter '", WireName(name), "' is unknown; an unload takes ", kUnloadDependents));
    }
    if (parameter.parameter_choice_case() != inference::ModelRepositoryParameter::kBoolParam) {
      return absl::InvalidArgumentError(absl::StrCat("parameter '", kUnloadDependents, "' must be a bool"));
    }
    unload_dependents = parameter.bool_param();
  }
  return unload_dependents;
}

absl::StatusOr<LogSettings> DecodeChanges(const inference::LogSettingsRequest& message) {
  LogSettings changes;
  for (const auto& [name, setting] : message.settings()) {
    switch (setting.parameter_choice_case()) {
      case inference::LogSettingsRequest::SettingValue::kBoolParam:
        changes[name] = setting.bool_param();
        break;
      case inference::LogSettingsRequest::SettingValue::kUint32Param:
        changes[name] = setting.uint32_param();
        break;
      case inference::LogSettingsRequest::SettingValue::kStringParam:
        changes[name] = setting.string_param();
        break;
      case inference::LogSettingsRequest::SettingValue::PARAMETER_CHOICE_NOT_SET:
        return absl::InvalidArgumentError(absl::StrCat("setting '", WireName(name), "' has no value"));
    }
  }
  return changes;
}

TraceChanges DecodeChanges(const inference::TraceSettingRequest& message) {
  TraceChanges changes;
  for (const auto& [name, setting] : message.settings()) {
    if (setting.value().empty()) {
      changes[name] = std::nullopt;
    } else {
      changes[name] = std::vector<std::string>(setting.value().begin(), setting.value().end());
    }
  }
  return changes;
}

}  // namespace waystone
