// SPDX-License-Identifier: Apache-2.0
//
// An InferenceService for tests of codecs: answers what the test has set, keeps what it was asked, and either
// echoes inferences (each input comes back as an output) or holds them until the test answers. The settings
// are made before the server starts or between calls; the rest is thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "proto/model_config.pb.h"
#include "serving/inference_service.h"

namespace waystone {

// Each input as an output of the same name.
inline InferResponse EchoOf(const InferRequest& request) {
  return {.model = request.model,
          .version = request.version.empty() ? "1" : request.version,
          .id = request.id,
          .outputs = request.inputs,
          .memory = request.memory};
}

class FakeInferenceService final : public InferenceService {
 public:
  struct Held {
    InferRequest request;
    InferCallback callback;
  };

  // What is answered.
  absl::StatusOr<bool> model_ready = true;
  std::atomic<bool> server_live{true};
  std::atomic<bool> server_ready{true};
  ServerMetadata server_metadata{"waystone", "0.1", {"binary_tensor_data"}};
  absl::StatusOr<ModelMetadata> model_metadata = absl::NotFoundError("no such model");
  absl::StatusOr<std::shared_ptr<const inference::ModelConfig>> config = absl::NotFoundError("no such model");
  absl::StatusOr<std::vector<ModelStatistics>> statistics = absl::NotFoundError("no such model");
  std::vector<ModelIndexEntry> index;
  absl::StatusOr<std::vector<SharedMemoryRegion>> regions = std::vector<SharedMemoryRegion>();
  absl::StatusOr<LogSettings> logging = LogSettings();
  absl::StatusOr<TraceSettings> tracing = TraceSettings();
  absl::Status outcome;  // of load, unload, register and unregister
  // Instead of the echo; called on the server's threads.
  std::function<void(InferRequest, InferCallback)> infer;

  // What was asked last.
  std::string asked_model;
  std::string asked_version;
  bool asked_flag = false;
  RepositoryParameters asked_parameters;
  SharedMemoryRegion asked_region;
  LogSettings asked_logging;
  TraceChanges asked_tracing;

  void HoldInferences() {
    infer = [this](InferRequest request, InferCallback callback) {
      MutexLock lock(mutex_);
      held_.push_back({std::move(request), std::move(callback)});
      came_.NotifyAll();
    };
  }
  // Waits for a held inference and takes the oldest.
  Held Take() {
    MutexLock lock(mutex_);
    while (held_.empty()) came_.Wait(mutex_);
    Held oldest = std::move(held_.front());
    held_.pop_front();
    return oldest;
  }
  size_t held() const {
    MutexLock lock(mutex_);
    return held_.size();
  }

  void Infer(InferRequest request, InferCallback callback) override {
    if (infer) {
      infer(std::move(request), std::move(callback));
    } else {
      callback(EchoOf(request));
    }
  }
  bool live() const override { return server_live; }
  bool ready() const override { return server_ready; }
  ServerMetadata metadata() const override { return server_metadata; }
  absl::StatusOr<bool> ModelReady(const std::string& model, const std::string&) const override {
    MutexLock lock(mutex_);
    const auto found = ready_models_.find(model);
    return found == ready_models_.end() ? model_ready : found->second;
  }
  void SetModelReady(const std::string& model, absl::StatusOr<bool> ready) {
    MutexLock lock(mutex_);
    ready_models_.insert_or_assign(model, std::move(ready));
  }
  absl::StatusOr<ModelMetadata> Metadata(const std::string&, const std::string&) const override {
    return model_metadata;
  }
  absl::StatusOr<std::shared_ptr<const inference::ModelConfig>> Config(const std::string&,
                                                                       const std::string&) const override {
    return config;
  }
  absl::StatusOr<std::vector<ModelStatistics>> Statistics(const std::string&,
                                                          const std::string&) const override {
    return statistics;
  }
  std::vector<ModelIndexEntry> Index(bool ready_only) const override {
    std::vector<ModelIndexEntry> listed;
    for (const ModelIndexEntry& entry : index) {
      if (!ready_only || entry.state == ModelState::kReady) listed.push_back(entry);
    }
    return listed;
  }
  void Load(const std::string& model, RepositoryParameters parameters, StatusCallback callback) override {
    asked_model = model;
    asked_parameters = std::move(parameters);
    callback(outcome);
  }
  void Unload(const std::string& model, bool unload_dependents, StatusCallback callback) override {
    asked_model = model;
    asked_flag = unload_dependents;
    callback(outcome);
  }
  absl::StatusOr<std::vector<SharedMemoryRegion>> SharedMemory(const std::string& name) const override {
    if (name.empty() || !regions.ok()) return regions;
    std::vector<SharedMemoryRegion> found;
    for (const SharedMemoryRegion& region : *regions) {
      if (region.name == name) found.push_back(region);
    }
    if (found.empty()) return absl::NotFoundError("no region '" + name + "'");
    return found;
  }
  absl::Status RegisterSharedMemory(const SharedMemoryRegion& region) override {
    asked_region = region;
    return outcome;
  }
  absl::Status UnregisterSharedMemory(const std::string& name) override {
    asked_region.name = name;
    return outcome;
  }
  absl::StatusOr<LogSettings> SetLogging(const LogSettings& changes) override {
    asked_logging = changes;
    return logging;
  }
  absl::StatusOr<TraceSettings> SetTracing(const std::string& model, const TraceChanges& changes) override {
    asked_model = model;
    asked_tracing = changes;
    return tracing;
  }

 private:
  mutable Mutex mutex_;
  CondVar came_;
  std::deque<Held> held_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, absl::StatusOr<bool>> ready_models_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace waystone
