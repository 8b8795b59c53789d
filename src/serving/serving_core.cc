// SPDX-License-Identifier: Apache-2.0
#include "serving/serving_core.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "base/log.h"
#include "base/status.h"
#include "serving/infer_reply.h"
#include "serving/model_config.h"
#include "types/refusal.h"

namespace waystone {
namespace {

// A key for the dimensions beside the batch, which all rows of a run share. The runner compares the shapes
// themselves, so two that happen to have one key are only run one by one.
uint64_t ShapeKey(const InferPlan& plan, const InferSignature& signature) {
  uint64_t key = 14695981039346656037U;  // FNV-1a
  bool open = false;
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const Shape& declared = signature.tensors.inputs[i].shape;
    for (size_t axis = signature.max_batch > 0 ? 1 : 0; axis < declared.rank(); ++axis) {
      if (declared[axis] != kDynamicDim) continue;
      open = true;
      key = (key ^ static_cast<uint64_t>(plan.inputs[i].shape[axis])) * 1099511628211U;
    }
  }
  return open ? key : 0;
}

size_t BytesOf(const InferPlan& plan) {
  size_t bytes = 0;
  for (const TensorView& input : plan.inputs) bytes += input.data.size();
  for (const std::string_view picture : plan.pictures) bytes += picture.size();
  return bytes;
}

std::vector<TensorMetadata> Describe(const std::vector<TensorSignature>& tensors) {
  std::vector<TensorMetadata> described;
  for (const TensorSignature& tensor : tensors) {
    described.push_back({tensor.name, std::string(Name(tensor.type)), tensor.shape.dims()});
  }
  return described;
}

absl::Status NoControl() {
  return absl::UnavailableError("models are loaded when the server starts; it has no model control");
}

absl::Status NoSharedMemory() {
  return absl::UnimplementedError("shared memory is not served; send tensors in the request");
}

}  // namespace

ServingCore::ServingCore(ServingOptions options, MetricRegistry& metrics, const Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      scheduler_({options_.workers, {}}, metrics, clock),
      pool_(scheduler_, options_.workers, clock) {
  metrics.GetGauge("waystone_queue_capacity", "Requests of a model that may wait.")
      .Set(static_cast<double>(options_.queue.max_jobs));
  metrics.GetGauge("waystone_queue_bytes_limit", "Bytes of a model's inputs that may wait.")
      .Set(static_cast<double>(options_.queue.max_bytes));
  metrics.GetGauge("waystone_workers", "Worker threads.").Set(options_.workers);
}

absl::Status ServingCore::Add(std::shared_ptr<const ServedModel> model) {
  if (models_.contains(model->name)) {
    return absl::AlreadyExistsError(absl::StrCat("model ", model->name, " is served already"));
  }
  WAYSTONE_ASSIGN_OR_RETURN(std::shared_ptr<ModelRunner> runner,
                            ModelRunner::Create(model, options_.workers, clock_));
  ModelPolicy policy;
  policy.name = model->name;
  policy.wide = model->wide != nullptr;
  policy.sizes = model->sizes;
  policy.limits = options_.queue;
  const ModelId id = scheduler_.AddModel(std::move(policy), runner);
  if (const absl::Status warm = runner->WarmUp(scheduler_, id); !warm.ok()) {
    scheduler_.RemoveModel(id, Refuse(RefusalReason::kNotReady, "the model could not be warmed up"));
    return Annotate(warm, absl::StrCat("warming up ", model->name));
  }
  ids_[model->name] = id;
  models_[model->name] = std::move(model);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const ServedModel>> ServingCore::Find(const std::string& model,
                                                                     const std::string& version) const {
  const auto found = models_.find(model);
  if (found == models_.end()) {
    return absl::NotFoundError(absl::StrCat("no model '", LogSafe(model), "' is being served"));
  }
  if (!version.empty() && !std::all_of(version.begin(), version.end(), absl::ascii_isdigit)) {
    return absl::InvalidArgumentError(
        absl::StrCat("version '", LogSafe(version), "' is not a whole number from 0"));
  }
  if (!version.empty() && version != found->second->version) {
    return absl::NotFoundError(
        absl::StrCat("model ", model, " has no version ", version, "; there is ", found->second->version));
  }
  return found->second;
}

absl::Status ServingCore::Submit(const std::string& model, std::unique_ptr<Job>& job) {
  const auto found = ids_.find(model);
  if (found == ids_.end()) {
    return absl::NotFoundError(absl::StrCat("no model '", LogSafe(model), "' is being served"));
  }
  return scheduler_.Submit(found->second, job);
}

Deadline ServingCore::OrDefault(Deadline deadline) const {
  return deadline.is_never() ? Deadline::After(clock_.Now(), options_.default_timeout) : deadline;
}

bool ServingCore::Stop(Duration timeout) {
  draining_.store(true);
  scheduler_.Close();
  const bool finished = scheduler_.AwaitIdle(timeout);
  if (!finished) {
    scheduler_.RefuseWaiting(
        Refuse(RefusalReason::kDraining, "the server stopped before this request's turn"));
    cutting_off_.store(true);
  }
  pool_.Stop();
  return finished;
}

void ServingCore::Infer(InferRequest request, InferCallback callback) {
  absl::Status status = Start(request, callback);
  if (!status.ok()) callback(std::move(status));
}

// Where it fails `callback` has not been taken.
absl::Status ServingCore::Start(InferRequest& request, InferCallback& callback) {
  WAYSTONE_ASSIGN_OR_RETURN(std::shared_ptr<const ServedModel> model, Find(request.model, request.version));
  WAYSTONE_ASSIGN_OR_RETURN(InferPlan plan, PlanInfer(request, model->signature));
  WAYSTONE_ASSIGN_OR_RETURN(const InferTerms terms, ReadParameters(request));
  if (plan.rows > options_.max_rows) {
    return absl::InvalidArgumentError(
        absl::StrCat("the batch has ", plan.rows, " rows; the limit of a request is ", options_.max_rows));
  }
  const int64_t part_rows = model->signature.max_batch > 0 ? model->signature.max_batch : plan.rows;
  const size_t parts = static_cast<size_t>((plan.rows + part_rows - 1) / part_rows);
  auto reply = std::make_shared<InferReply>(model, std::move(request.id), plan.rows, plan.outputs, parts,
                                            std::move(callback), clock_);
  JobTerms job_terms;
  job_terms.shape = ShapeKey(plan, model->signature);
  job_terms.deadline = OrDefault(terms.deadline);
  job_terms.priority = std::max(1, terms.priority);
  job_terms.tenant = std::move(request.tenant);
  // Parts of one request must not replace each other.
  if (parts == 1) job_terms.stream = std::move(request.stream);
  job_terms.cancelled = [reply, cancelled = std::move(request.cancelled)] {
    return reply->failed() || (cancelled && cancelled());
  };
  // What the request holds beside its tensors counts, too: with the first part, since all keep it.
  size_t beside = request.memory_bytes - std::min(request.memory_bytes, BytesOf(plan));
  for (size_t index = 0; index < parts; ++index) {
    const int64_t begin = static_cast<int64_t>(index) * part_rows;
    InferPlan part =
        parts == 1 ? std::move(plan) : PartOf(plan, begin, std::min(part_rows, plan.rows - begin));
    job_terms.rows = part.rows;
    job_terms.bytes = BytesOf(part) + std::exchange(beside, 0);
    std::unique_ptr<Job> job = std::make_unique<InferJob>(
        job_terms, std::move(part), request.memory,
        [reply, index](const InferJob& of, absl::StatusOr<std::span<const TensorView>> outputs) {
          reply->Take(index, of, std::move(outputs));
        });
    if (absl::Status refused = Submit(model->name, job); !refused.ok()) {
      reply->Fail(std::move(refused));
      break;
    }
  }
  return absl::OkStatus();
}

ServerMetadata ServingCore::metadata() const {
  return {"waystone",
          options_.server_version,
          {"classification", "schedule_policy", "model_configuration", "binary_tensor_data", "parameters",
           "statistics"}};
}

absl::StatusOr<bool> ServingCore::ModelReady(const std::string& model, const std::string& version) const {
  WAYSTONE_RETURN_IF_ERROR(Find(model, version).status());
  return !draining();
}

absl::StatusOr<ModelMetadata> ServingCore::Metadata(const std::string& model,
                                                    const std::string& version) const {
  WAYSTONE_ASSIGN_OR_RETURN(const std::shared_ptr<const ServedModel> served, Find(model, version));
  return ModelMetadata{served->name,
                       {served->version},
                       served->platform,
                       Describe(served->signature.tensors.inputs),
                       Describe(served->signature.tensors.outputs)};
}

absl::StatusOr<std::shared_ptr<const inference::ModelConfig>> ServingCore::Config(
    const std::string& model, const std::string& version) const {
  WAYSTONE_ASSIGN_OR_RETURN(const std::shared_ptr<const ServedModel> served, Find(model, version));
  return std::make_shared<const inference::ModelConfig>(DescribeConfig(*served, options_.workers));
}

absl::StatusOr<std::vector<ModelStatistics>> ServingCore::Statistics(const std::string& model,
                                                                     const std::string& version) const {
  std::vector<ModelStatistics> statistics;
  if (!model.empty()) {
    WAYSTONE_ASSIGN_OR_RETURN(const std::shared_ptr<const ServedModel> served, Find(model, version));
    statistics.push_back(served->counters->Read());
    return statistics;
  }
  for (const auto& [name, served] : models_) statistics.push_back(served->counters->Read());
  return statistics;
}

std::vector<ModelIndexEntry> ServingCore::Index(bool) const {
  std::vector<ModelIndexEntry> entries;
  for (const auto& [name, served] : models_) {
    entries.push_back({name, served->version, draining() ? ModelState::kUnloading : ModelState::kReady, ""});
  }
  return entries;
}

void ServingCore::Load(const std::string&, RepositoryParameters, StatusCallback callback) {
  callback(NoControl());
}

void ServingCore::Unload(const std::string&, bool, StatusCallback callback) { callback(NoControl()); }

absl::StatusOr<std::vector<SharedMemoryRegion>> ServingCore::SharedMemory(const std::string&) const {
  return NoSharedMemory();
}

absl::Status ServingCore::RegisterSharedMemory(const SharedMemoryRegion&) { return NoSharedMemory(); }

absl::Status ServingCore::UnregisterSharedMemory(const std::string&) { return NoSharedMemory(); }

absl::StatusOr<LogSettings> ServingCore::SetLogging(const LogSettings&) {
  return absl::UnimplementedError("log settings are those of the command line");
}

absl::StatusOr<TraceSettings> ServingCore::SetTracing(const std::string&, const TraceChanges&) {
  return absl::UnimplementedError("traces are not served");
}

}  // namespace waystone
