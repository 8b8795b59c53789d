// SPDX-License-Identifier: Apache-2.0
//
// The protocol's smaller messages as JSON: metadata, statistics, the repository, settings, shared memory.
// What is read may have 64 KiB. Thread-safe (no state).
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "http/oip_request.h"
#include "net/http_server.h"
#include "serving/inference_service.h"

namespace waystone {

std::string ServerJson(const ServerMetadata& metadata);
std::string ModelJson(const ModelMetadata& metadata);
std::string StatisticsJson(const std::vector<ModelStatistics>& statistics);
std::string IndexJson(const std::vector<ModelIndexEntry>& entries);
std::string SharedMemoryJson(const std::vector<SharedMemoryRegion>& regions);

// {"ready": bool}, or nothing.
absl::StatusOr<bool> ReadReadyOnly(const std::string& body);
// {"parameters": {...}} of a load or an unload, or nothing.
absl::StatusOr<RepositoryParameters> ReadRepositoryParameters(const std::string& body, bool load);
absl::StatusOr<SharedMemoryRegion> ReadSharedMemoryRegion(const std::string& name, const std::string& body);
// GET answers the settings, POST changes those it names and answers all.
HttpResponse AnswerLogging(InferenceService& service, const HttpRequest& request);
HttpResponse AnswerTracing(InferenceService& service, const std::string& model, const HttpRequest& request);

// A request whose body is the bytes of the model's only input; all outputs come back as binary data.
absl::StatusOr<OipRequest> RawOipRequest(const ModelMetadata& metadata, std::string body);

}  // namespace waystone
