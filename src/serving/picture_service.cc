// SPDX-License-Identifier: Apache-2.0
#include "serving/picture_service.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "base/log.h"
#include "base/status.h"
#include "serving/picture_job.h"
#include "types/refusal.h"

namespace waystone {
namespace {

// Pictures cost another time than tensors of the same model, and share no batch with them.
constexpr uint64_t kPictureShape = 1;

size_t InputBytes(const std::variant<std::string, Image, Tensor>& input) {
  if (const auto* encoded = std::get_if<std::string>(&input)) return encoded->size();
  if (const auto* image = std::get_if<Image>(&input)) return image->pixels.size();
  return std::get<Tensor>(input).byte_size();
}

}  // namespace

struct PictureService::Work {
  PictureRequest request;
  PictureCallback callback;
  const PictureModel& model;
  const Counters& counters;
  TimePoint submitted;
};

struct PictureService::Counters {
  Counters(const std::string& model, MetricRegistry& metrics) {
    const char* help = "Answered requests, by outcome.";
    ok = &metrics.GetCounter("waystone_requests_total", help, {{"model", model}, {"outcome", "ok"}});
    failed = &metrics.GetCounter("waystone_requests_total", help, {{"model", model}, {"outcome", "error"}});
    for (const char* stage : {"queue", "decode", "preprocess", "infer", "postprocess", "total"}) {
      stages[stage] = &metrics.GetHistogram("waystone_stage_seconds", "Time of a request by stage.",
                                            {{"model", model}, {"stage", stage}});
    }
  }

  Counter* ok;
  Counter* failed;
  std::map<std::string, Histogram*> stages;
};

PictureService::PictureService(ServingCore& core, PictureLimits limits, MetricRegistry& metrics)
    : core_(core), limits_(limits) {
  for (const auto& [name, served] : core.models()) {
    if (served->picture == nullptr) continue;
    models_[name] = served->picture;
    counters_[name] = std::make_unique<Counters>(name, metrics);
  }
}

PictureService::~PictureService() = default;

absl::Status PictureService::Submit(PictureRequest request, PictureCallback callback) {
  if (draining()) {
    return Refuse(RefusalReason::kDraining, "the server is stopping and takes no new work");
  }
  const auto model = models_.find(request.model);
  if (model == models_.end()) {
    return absl::NotFoundError(absl::StrCat("no model '", LogSafe(request.model), "' is being served"));
  }
  const size_t bytes = InputBytes(request.input);
  if (bytes == 0) return absl::InvalidArgumentError("the request holds no picture: its body is empty");
  const bool encoded = std::holds_alternative<std::string>(request.input);
  if (encoded && bytes > limits_.max_encoded_bytes) {
    return absl::OutOfRangeError(absl::StrCat("the picture has ", bytes, " bytes, more than the limit of ",
                                              limits_.max_encoded_bytes));
  }
  request.deadline = core_.OrDefault(request.deadline);
  JobTerms terms;
  terms.shape = kPictureShape;
  terms.bytes = bytes;
  terms.deadline = request.deadline;
  terms.stream = std::move(request.stream);
  terms.cancelled = request.cancelled;
  const std::string& name = model->first;
  auto work = std::make_shared<Work>(Work{std::move(request), std::move(callback), *model->second,
                                          *counters_.at(name), core_.clock().Now()});
  std::unique_ptr<Job> job = std::make_unique<PictureJob>(
      std::move(terms),
      [this, work](PictureSeat& seat, TimePoint taken) { return Answer(*work, seat, taken); },
      [work](absl::Status reason) { work->callback(std::move(reason)); });
  return core_.Submit(name, job);
}

absl::Status PictureService::Answer(Work& work, PictureSeat& seat, TimePoint taken) const {
  absl::StatusOr<PictureResult> result = Compute(work, seat);
  const absl::Status status = result.status();
  if (result.ok()) {
    const Counters& counters = work.counters;
    counters.ok->Increment();
    result->queue_ms = MillisecondsBetween(work.submitted, taken);
    const StageTimes& times = result->answer.prediction.times;
    counters.stages.at("queue")->Observe(result->queue_ms / 1e3);
    counters.stages.at("decode")->Observe(times.decode_ms / 1e3);
    counters.stages.at("preprocess")->Observe(times.preprocess_ms / 1e3);
    counters.stages.at("infer")->Observe(times.infer_ms / 1e3);
    counters.stages.at("postprocess")->Observe(times.postprocess_ms / 1e3);
    counters.stages.at("total")->Observe(MillisecondsBetween(work.submitted, core_.clock().Now()) / 1e3);
  } else if (RefusalReasonOf(status).empty()) {
    work.counters.failed->Increment();
  }
  work.callback(std::move(result));
  return status;
}

absl::StatusOr<PictureResult> PictureService::Compute(Work& work, PictureSeat& seat) const {
  PictureRequest& request = work.request;
  PictureResult result;
  if (auto* tensor = std::get_if<Tensor>(&request.input)) {
    WAYSTONE_ASSIGN_OR_RETURN(result.outputs, seat.RunTensor(tensor->view()));
    return result;
  }
  const PrepareOptions options{limits_, request.want_image, false, request.deadline, request.camera};
  const ThresholdSpec& thresholds = work.model.spec().thresholds;
  if (auto* image = std::get_if<Image>(&request.input)) {
    WAYSTONE_ASSIGN_OR_RETURN(result.answer, seat.Predict(std::move(*image), options, thresholds));
  } else {
    WAYSTONE_ASSIGN_OR_RETURN(result.answer,
                              seat.Predict(std::get<std::string>(request.input), options, thresholds));
  }
  result.answer.prediction.source = request.source;
  return result;
}

}  // namespace waystone
