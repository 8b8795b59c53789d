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
  const ServedModel& served;
  TimePoint submitted;
};

PictureService::PictureService(ServingCore& core, PictureLimits limits) : core_(core), limits_(limits) {
  for (const auto& [name, served] : core.models()) {
    if (served->picture != nullptr) models_[name] = served->picture;
  }
}

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
  auto work = std::make_shared<Work>(
      Work{std::move(request), std::move(callback), *core_.models().at(name), core_.clock().Now()});
  std::unique_ptr<Job> job = std::make_unique<PictureJob>(
      std::move(terms),
      [this, work](PictureSeat& seat, TimePoint taken) { return Answer(*work, seat, taken); },
      [work](absl::Status reason) { work->callback(std::move(reason)); });
  return core_.Submit(name, job);
}

absl::Status PictureService::Answer(Work& work, PictureSeat& seat, TimePoint taken) const {
  absl::StatusOr<PictureResult> result = Compute(work, seat);
  const absl::Status status = result.status();
  const TimePoint now = core_.clock().Now();
  if (result.ok()) {
    result->queue_ms = MillisecondsBetween(work.submitted, taken);
    work.served.counters->AddPicture(result->answer.prediction.times, taken - work.submitted,
                                     now - work.submitted);
  } else if (RefusalReasonOf(status).empty()) {
    work.served.counters->AddFailure(now - work.submitted);
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
  const ThresholdSpec& thresholds = work.served.picture->spec().thresholds;
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
