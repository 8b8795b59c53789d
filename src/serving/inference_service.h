// SPDX-License-Identifier: Apache-2.0
//
// What Waystone does for a client of the Open Inference Protocol v2, whatever the transport: inference,
// metadata, configuration, statistics, health and control of the model repository. The one place where
// requests are validated. Codecs for REST and gRPC call this and nothing else; tests give them a fake.
//
// Thread-safe. No call blocks on an inference or on a load: what takes long ends in a callback, called
// exactly once, on any thread, possibly before the call returns. Errors: NotFound for an unknown model or
// version, Unavailable for a known one that is not ready, InvalidArgument for what the request got wrong,
// OutOfRange for a size over a limit, Unimplemented for an extension that is switched off; refusals carry
// their reason (types/refusal.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "serving/infer.h"

namespace inference {
class ModelConfig;  // proto/model_config.proto
}

namespace waystone {

struct ServerMetadata {
  std::string name;
  std::string version;
  std::vector<std::string> extensions;
};

struct TensorMetadata {
  std::string name;
  std::string datatype;        // of the protocol: FP32, BYTES, ...
  std::vector<int64_t> shape;  // -1: any size; with the batch axis
};

struct ModelMetadata {
  std::string name;
  std::vector<std::string> versions;  // the ready ones, or the one that was asked for
  std::string platform;
  std::vector<TensorMetadata> inputs;
  std::vector<TensorMetadata> outputs;
};

// How often something took place and how long it took in all.
struct DurationStatistic {
  uint64_t count = 0;
  uint64_t ns = 0;
};

struct BatchStatistics {
  uint64_t batch_size = 0;
  DurationStatistic compute_input;
  DurationStatistic compute_infer;
  DurationStatistic compute_output;
};

// Counts as Triton's statistics extension does: success and queue hold cache hits, compute_* do not.
struct ModelStatistics {
  std::string name;
  std::string version;
  uint64_t last_inference_ms = 0;  // since the Unix epoch
  uint64_t inference_count = 0;    // batch items
  uint64_t execution_count = 0;    // engine runs
  DurationStatistic success;
  DurationStatistic fail;
  DurationStatistic queue;
  DurationStatistic compute_input;
  DurationStatistic compute_infer;
  DurationStatistic compute_output;
  DurationStatistic cache_hit;
  DurationStatistic cache_miss;
  std::vector<BatchStatistics> batches;
  uint64_t memory_bytes = 0;  // of the host, as far as it is known; 0: not known
};

enum class ModelState { kUnknown, kReady, kUnavailable, kLoading, kUnloading };

struct ModelIndexEntry {
  std::string name;
  std::string version;  // empty for a model that is known by name only
  ModelState state = ModelState::kUnknown;
  std::string reason;  // empty where there is nothing to say
};

// A load parameter: bytes are those of a file.
struct RepositoryBytes {
  std::string bytes;
};
using RepositoryParameter = std::variant<bool, int64_t, std::string, RepositoryBytes>;
using RepositoryParameters = std::map<std::string, RepositoryParameter>;
using StatusCallback = std::function<void(absl::Status)>;

// A piece of POSIX shared memory that clients and server use together.
struct SharedMemoryRegion {
  std::string name;
  std::string key;  // of shm_open
  uint64_t offset = 0;
  uint64_t byte_size = 0;
};

// Settings by name, as section 1.11 of the protocol's extensions names them. A change to nothing clears a
// model's own value, so that the global one holds.
using LogSettings = std::map<std::string, std::variant<bool, uint32_t, std::string>>;
using TraceSettings = std::map<std::string, std::vector<std::string>>;
using TraceChanges = std::map<std::string, std::optional<std::vector<std::string>>>;

class InferenceService {
 public:
  virtual ~InferenceService() = default;

  virtual void Infer(InferRequest request, InferCallback callback) = 0;

  virtual bool live() const = 0;
  // All models that must be ready are, and the server is not stopping.
  virtual bool ready() const = 0;
  virtual ServerMetadata metadata() const = 0;

  // `version` is empty for the one the policy chooses, else as on the wire.
  virtual absl::StatusOr<bool> ModelReady(const std::string& model, const std::string& version) const = 0;
  virtual absl::StatusOr<ModelMetadata> Metadata(const std::string& model,
                                                 const std::string& version) const = 0;
  virtual absl::StatusOr<std::shared_ptr<const inference::ModelConfig>> Config(
      const std::string& model, const std::string& version) const = 0;
  // Of all ready models where `model` is empty, of all its ready versions where `version` is.
  virtual absl::StatusOr<std::vector<ModelStatistics>> Statistics(const std::string& model,
                                                                  const std::string& version) const = 0;

  virtual std::vector<ModelIndexEntry> Index(bool ready_only) const = 0;
  // Unavailable unless the repository is under explicit control.
  virtual void Load(const std::string& model, RepositoryParameters parameters, StatusCallback callback) = 0;
  virtual void Unload(const std::string& model, bool unload_dependents, StatusCallback callback) = 0;

  // `name` empty: all regions. Unimplemented, with what switches it on, unless the server was started with
  // shared memory; AlreadyExists for a name that is taken.
  virtual absl::StatusOr<std::vector<SharedMemoryRegion>> SharedMemory(const std::string& name) const = 0;
  virtual absl::Status RegisterSharedMemory(const SharedMemoryRegion& region) = 0;
  virtual absl::Status UnregisterSharedMemory(const std::string& name) = 0;

  // Changes what `changes` names and answers all settings; no changes: only answers. `model` empty: the
  // global ones. Nothing is changed when one of them is refused.
  virtual absl::StatusOr<LogSettings> SetLogging(const LogSettings& changes) = 0;
  virtual absl::StatusOr<TraceSettings> SetTracing(const std::string& model, const TraceChanges& changes) = 0;
};

// READY, UNAVAILABLE, LOADING, UNLOADING, UNKNOWN.
const char* Name(ModelState state);

}  // namespace waystone
