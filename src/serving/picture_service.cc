// SPDX-License-Identifier: Apache-2.0
#include "serving/picture_service.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "base/log.h"
#include "base/status.h"

namespace waystone {
namespace {

size_t InputBytes(const std::variant<std::string, Image, Tensor>& input) {
  if (const auto* encoded = std::get_if<std::string>(&input)) return encoded->size();
  if (const auto* image = std::get_if<Image>(&input)) return image->pixels.size();
  return std::get<Tensor>(input).byte_size();
}

}  // namespace

struct PictureService::Work {
  PictureRequest request;
  PictureCallback callback;
  TimePoint submitted;
  size_t bytes;
  Gate::Pass pass;
};

struct PictureService::Counters {
  Counters(MetricRegistry& metrics, const PictureService& service) {
    for (const RefusalReason reason : kAllRefusalReasons) {
      refused.push_back(&metrics.GetCounter("waystone_refused_total", "Requests turned away, by reason.",
                                            {{"reason", std::string(Name(reason))}}));
    }
    for (const auto& [name, model] : service.models_) {
      PerModel& counters = models[name];
      const char* help = "Answered requests, by outcome.";
      counters.ok =
          &metrics.GetCounter("waystone_requests_total", help, {{"model", name}, {"outcome", "ok"}});
      counters.failed =
          &metrics.GetCounter("waystone_requests_total", help, {{"model", name}, {"outcome", "error"}});
      for (const char* stage : {"queue", "decode", "preprocess", "infer", "postprocess", "total"}) {
        counters.stages[stage] = &metrics.GetHistogram(
            "waystone_stage_seconds", "Time of a request by stage.", {{"model", name}, {"stage", stage}});
      }
    }
    depth = &metrics.GetGauge("waystone_queue_depth", "Requests waiting for a worker.");
    queued_bytes = &metrics.GetGauge("waystone_queue_bytes", "Bytes of the inputs that wait.");
    metrics.GetGauge("waystone_queue_capacity", "Requests that may wait.")
        .Set(static_cast<double>(service.options_.queue_capacity));
    metrics.GetGauge("waystone_queue_bytes_limit", "Bytes that may wait.")
        .Set(static_cast<double>(service.options_.max_queued_bytes));
    metrics.GetGauge("waystone_workers", "Worker threads.").Set(service.options_.workers);
  }

  struct PerModel {
    Counter* ok;
    Counter* failed;
    std::map<std::string, Histogram*> stages;
  };
  std::vector<Counter*> refused;  // by reason
  std::map<std::string, PerModel> models;
  Gauge* depth;
  Gauge* queued_bytes;
};

PictureService::PictureService(std::vector<std::shared_ptr<const PictureModel>> models,
                               PictureServiceOptions options, MetricRegistry& metrics, const Clock& clock)
    : options_(options), clock_(clock), queue_(options_.queue_capacity) {
  for (auto& model : models) {
    const std::string name = model->name();
    models_[name] = std::move(model);
  }
  counters_ = std::make_unique<Counters>(metrics, *this);
}

PictureService::~PictureService() { Stop(Duration::zero()); }

absl::StatusOr<std::unique_ptr<PictureService>> PictureService::Create(
    std::vector<std::shared_ptr<const PictureModel>> models, PictureServiceOptions options,
    MetricRegistry& metrics, const Clock& clock) {
  if (options.workers < 1 || options.queue_capacity < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("a service needs at least 1 worker and room for 1 request, not ", options.workers,
                     " and ", options.queue_capacity));
  }
  const int workers = options.workers;
  std::unique_ptr<PictureService> service(new PictureService(std::move(models), options, metrics, clock));
  std::vector<Seats> seats(static_cast<size_t>(workers));
  for (Seats& of_worker : seats) {
    for (const auto& [name, model] : service->models_) {
      WAYSTONE_ASSIGN_OR_RETURN(of_worker[name], model->CreateSeat());
    }
  }
  for (Seats& of_worker : seats) {
    service->workers_.emplace_back(
        [raw = service.get(), mine = std::move(of_worker)]() mutable { raw->RunWorker(std::move(mine)); });
  }
  return service;
}

absl::Status PictureService::Refused(RefusalReason reason, absl::string_view message) {
  counters_->refused[static_cast<size_t>(reason)]->Increment();
  return Refuse(reason, message);
}

absl::Status PictureService::Submit(PictureRequest request, PictureCallback callback) {
  std::optional<Gate::Pass> pass = gate_.Enter();
  if (!pass) return Refused(RefusalReason::kDraining, "the server is stopping and takes no new work");
  if (models_.find(request.model) == models_.end()) {
    return absl::NotFoundError(absl::StrCat("no model '", LogSafe(request.model), "' is being served"));
  }
  const size_t bytes = InputBytes(request.input);
  if (bytes == 0) return absl::InvalidArgumentError("the request holds no picture: its body is empty");
  const bool encoded = std::holds_alternative<std::string>(request.input);
  if (encoded && bytes > options_.limits.max_encoded_bytes) {
    return absl::OutOfRangeError(absl::StrCat("the picture has ", bytes, " bytes, more than the limit of ",
                                              options_.limits.max_encoded_bytes));
  }
  const TimePoint now = clock_.Now();
  if (request.deadline.is_never()) request.deadline = Deadline::After(now, options_.default_timeout);
  if (request.deadline.HasPassed(now)) {
    return Refused(RefusalReason::kExpired, "the deadline had passed when the request came");
  }
  if (queued_bytes_.fetch_add(bytes) + bytes > options_.max_queued_bytes) {
    queued_bytes_.fetch_sub(bytes);
    return Refused(RefusalReason::kQueueFull,
                   absl::StrCat("inputs that wait would exceed ", options_.max_queued_bytes, " bytes"));
  }
  auto work =
      std::make_unique<Work>(Work{std::move(request), std::move(callback), now, bytes, *std::move(pass)});
  if (auto pushed = queue_.TryPush(std::move(work)); !pushed.accepted) {
    queued_bytes_.fetch_sub(bytes);
    return pushed.closed ? Refused(RefusalReason::kDraining, "the server is stopping and takes no new work")
                         : Refused(RefusalReason::kQueueFull,
                                   absl::StrCat(options_.queue_capacity, " requests wait already"));
  }
  counters_->depth->Set(static_cast<double>(queue_.size()));
  counters_->queued_bytes->Set(static_cast<double>(queued_bytes_.load()));
  return absl::OkStatus();
}

absl::StatusOr<PictureResult> PictureService::Answer(Work& work, Seats& seats) {
  // The last moment before work is spent: what nobody waits for any more is dropped here.
  if (cut_off_.load())
    return Refused(RefusalReason::kDraining, "the server stopped before this request's turn");
  if (work.request.cancelled && work.request.cancelled()) {
    return Refused(RefusalReason::kCancelled, "the client went away before this request's turn");
  }
  if (work.request.deadline.HasPassed(clock_.Now())) {
    return Refused(RefusalReason::kExpired, "the deadline passed before this request's turn");
  }
  PictureSeat& seat = *seats.at(work.request.model);
  PictureResult result;
  if (auto* tensor = std::get_if<Tensor>(&work.request.input)) {
    WAYSTONE_ASSIGN_OR_RETURN(result.outputs, seat.RunTensor(tensor->view()));
    return result;
  }
  const PrepareOptions options{options_.limits, work.request.want_image, false, work.request.deadline,
                               work.request.camera};
  const ThresholdSpec& thresholds = models_.at(work.request.model)->spec().thresholds;
  if (auto* image = std::get_if<Image>(&work.request.input)) {
    WAYSTONE_ASSIGN_OR_RETURN(result.answer, seat.Predict(std::move(*image), options, thresholds));
  } else {
    WAYSTONE_ASSIGN_OR_RETURN(result.answer,
                              seat.Predict(std::get<std::string>(work.request.input), options, thresholds));
  }
  result.answer.prediction.source = work.request.source;
  return result;
}

void PictureService::RunWorker(Seats seats) {
  while (std::optional<std::unique_ptr<Work>> item = queue_.Pop()) {
    Work& work = **item;
    const TimePoint begin = clock_.Now();
    absl::StatusOr<PictureResult> result = Answer(work, seats);
    queued_bytes_.fetch_sub(work.bytes);
    counters_->depth->Set(static_cast<double>(queue_.size()));
    counters_->queued_bytes->Set(static_cast<double>(queued_bytes_.load()));
    Counters::PerModel& counters = counters_->models.at(work.request.model);
    if (result.ok()) {
      counters.ok->Increment();
      result->queue_ms = MillisecondsBetween(work.submitted, begin);
      const StageTimes& times = result->answer.prediction.times;
      counters.stages.at("queue")->Observe(result->queue_ms / 1e3);
      counters.stages.at("decode")->Observe(times.decode_ms / 1e3);
      counters.stages.at("preprocess")->Observe(times.preprocess_ms / 1e3);
      counters.stages.at("infer")->Observe(times.infer_ms / 1e3);
      counters.stages.at("postprocess")->Observe(times.postprocess_ms / 1e3);
      counters.stages.at("total")->Observe(MillisecondsBetween(work.submitted, clock_.Now()) / 1e3);
    } else if (RefusalReasonOf(result.status()).empty()) {
      counters.failed->Increment();
    }
    work.callback(std::move(result));
  }
}

bool PictureService::Stop(Duration timeout) {
  gate_.Close();
  const bool drained = gate_.AwaitEmpty(timeout);
  if (!drained) cut_off_.store(true);
  queue_.Close();
  for (std::thread& worker : workers_) {
    if (worker.joinable()) worker.join();
  }
  return drained;
}

}  // namespace waystone
