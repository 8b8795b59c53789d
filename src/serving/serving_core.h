// SPDX-License-Identifier: Apache-2.0
//
// The models being served, behind one scheduler and one pool of workers, for every protocol: inference by
// tensors here, pictures through PictureService. Resolves a name, checks the request, and hands it on with
// its deadline; answers are made on the worker that ran it.
//
// Thread-safe. Models are added before the first request and stay. The clock, the metrics and the engines
// outlive it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "metrics/registry.h"
#include "scheduler/scheduler.h"
#include "scheduler/worker_pool.h"
#include "serving/inference_service.h"
#include "serving/model_runner.h"
#include "serving/served_model.h"

namespace waystone {

struct ServingOptions {
  std::string server_version;
  int workers = 1;
  JobQueueLimits queue;  // of each model
  Duration default_timeout = std::chrono::seconds(10);
  int64_t max_rows = 1024;  // of one request, which is run in parts where a batch holds fewer
};

class ServingCore final : public InferenceService {
 public:
  ServingCore(ServingOptions options, MetricRegistry& metrics, const Clock& clock);
  ~ServingCore() override { Stop(Duration::zero()); }

  // Makes the model's instances, warms it up, and serves it. AlreadyExists for a name that is taken.
  absl::Status Add(std::shared_ptr<const ServedModel> model);

  // The version that serves `model`; NotFound for an unknown one. `version` is empty for the policy's choice.
  absl::StatusOr<std::shared_ptr<const ServedModel>> Find(const std::string& model,
                                                          const std::string& version) const;
  const std::map<std::string, std::shared_ptr<const ServedModel>>& models() const { return models_; }
  // Hands a job to the model's workers; as Scheduler::Submit.
  absl::Status Submit(const std::string& model, std::unique_ptr<Job>& job);
  // `deadline`, or where there is none the default timeout from now.
  Deadline OrDefault(Deadline deadline) const;
  const Clock& clock() const { return clock_; }
  Scheduler& scheduler() { return scheduler_; }

  bool draining() const { return draining_.load(); }
  // True once Stop has given up waiting: accepted work that had not begun was answered "draining".
  bool cutting_off() const { return cutting_off_.load(); }
  // Refuses new work, waits up to `timeout` for what was accepted, then refuses what still waits and joins
  // the workers. True when nothing was cut off. Idempotent.
  bool Stop(Duration timeout);

  void Infer(InferRequest request, InferCallback callback) override;
  bool live() const override { return true; }
  bool ready() const override { return !draining(); }
  ServerMetadata metadata() const override;
  absl::StatusOr<bool> ModelReady(const std::string& model, const std::string& version) const override;
  absl::StatusOr<ModelMetadata> Metadata(const std::string& model, const std::string& version) const override;
  absl::StatusOr<std::shared_ptr<const inference::ModelConfig>> Config(
      const std::string& model, const std::string& version) const override;
  absl::StatusOr<std::vector<ModelStatistics>> Statistics(const std::string& model,
                                                          const std::string& version) const override;
  std::vector<ModelIndexEntry> Index(bool ready_only) const override;
  void Load(const std::string& model, RepositoryParameters parameters, StatusCallback callback) override;
  void Unload(const std::string& model, bool unload_dependents, StatusCallback callback) override;
  absl::StatusOr<std::vector<SharedMemoryRegion>> SharedMemory(const std::string& name) const override;
  absl::Status RegisterSharedMemory(const SharedMemoryRegion& region) override;
  absl::Status UnregisterSharedMemory(const std::string& name) override;
  absl::StatusOr<LogSettings> SetLogging(const LogSettings& changes) override;
  absl::StatusOr<TraceSettings> SetTracing(const std::string& model, const TraceChanges& changes) override;

 private:
  absl::Status Start(InferRequest& request, InferCallback& callback);

  const ServingOptions options_;
  const Clock& clock_;
  std::map<std::string, std::shared_ptr<const ServedModel>> models_;
  std::map<std::string, ModelId> ids_;
  std::atomic<bool> draining_{false};
  std::atomic<bool> cutting_off_{false};
  Scheduler scheduler_;
  WorkerPool pool_;
};

}  // namespace waystone
