// SPDX-License-Identifier: Apache-2.0
//
// The messages of metadata, statistics, settings and control of the repository, from and to what the service
// deals in. Thread-safe (pure).
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include <google/protobuf/map.h>

#include "proto/grpc_service.pb.h"
#include "serving/inference_service.h"

namespace waystone {

using RepositoryParameterMap = google::protobuf::Map<std::string, inference::ModelRepositoryParameter>;

void Encode(const ServerMetadata& metadata, inference::ServerMetadataResponse& message);
void Encode(const ModelMetadata& metadata, inference::ModelMetadataResponse& message);
void Encode(const std::vector<ModelStatistics>& statistics, inference::ModelStatisticsResponse& message);
void Encode(const std::vector<ModelIndexEntry>& index, inference::RepositoryIndexResponse& message);
void Encode(const std::vector<SharedMemoryRegion>& regions,
            inference::SystemSharedMemoryStatusResponse& message);
void Encode(const LogSettings& settings, inference::LogSettingsResponse& message);
void Encode(const TraceSettings& settings, inference::TraceSettingResponse& message);

// InvalidArgument for a parameter without a value.
absl::StatusOr<RepositoryParameters> DecodeLoadParameters(const RepositoryParameterMap& parameters);
// unload_dependents; InvalidArgument when it is no bool, or for any other parameter.
absl::StatusOr<bool> DecodeUnloadDependents(const RepositoryParameterMap& parameters);
absl::StatusOr<LogSettings> DecodeChanges(const inference::LogSettingsRequest& message);
TraceChanges DecodeChanges(const inference::TraceSettingRequest& message);

}  // namespace waystone
