// SPDX-License-Identifier: Apache-2.0
#include "serving/infer_reply.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "serving/classification.h"
#include "types/refusal.h"

namespace waystone {

InferReply::InferReply(std::shared_ptr<const ServedModel> model, std::string id, int64_t rows,
                       std::vector<PlannedOutput> outputs, size_t parts, InferCallback callback,
                       const Clock& clock)
    : model_(std::move(model)),
      id_(std::move(id)),
      rows_(rows),
      outputs_(std::move(outputs)),
      callback_(std::move(callback)),
      clock_(clock),
      begin_(clock.Now()),
      parts_(parts),
      missing_(parts),
      kept_(parts) {}

void InferReply::Take(size_t index, const InferJob& job,
                      absl::StatusOr<std::span<const TensorView>> outputs) {
  if (!outputs.ok()) {
    Fail(outputs.status());
    return;
  }
  const Duration queued = job.taken - job.admitted;
  if (parts_ == 1) {
    Answer(Make(*outputs), queued);  // the outputs are handed on where they lie
    return;
  }
  absl::StatusOr<InferResponse> response = absl::InternalError("a part is missing");
  {
    MutexLock lock(mutex_);
    const absl::Status kept = Keep(index, *outputs);
    if (kept.ok() && --missing_ > 0) return;
    response = kept.ok() ? Join() : absl::StatusOr<InferResponse>(kept);
  }
  if (!response.ok()) {
    Fail(response.status());
  } else if (!failed_.load()) {
    Answer(std::move(response), queued);
  }
}

void InferReply::Fail(absl::Status status) {
  if (failed_.exchange(true)) return;
  Answer(std::move(status), Duration::zero());
}

void InferReply::Answer(absl::StatusOr<InferResponse> response, Duration queued) {
  const Duration total = clock_.Now() - begin_;
  if (response.ok()) {
    model_->counters->AddSuccess(rows_, queued, total);
  } else if (RefusalReasonOf(response.status()).empty()) {
    model_->counters->AddFailure(total);
  }
  callback_(std::move(response));
}

absl::StatusOr<InferResponse> InferReply::Make(std::span<const TensorView> outputs) const {
  InferResponse response;
  response.model = model_->name;
  response.version = model_->version;
  response.id = id_;
  // What classification makes is kept by the answer; the tensors themselves stay where they are.
  auto texts = std::make_shared<std::vector<BytesTensor>>();
  texts->reserve(outputs_.size());
  for (const PlannedOutput& output : outputs_) {
    const TensorView& tensor = outputs[output.index];
    const std::string& name = model_->signature.tensors.outputs[output.index].name;
    if (output.classification == 0) {
      response.outputs.push_back({name, tensor.type, tensor.shape, tensor.data, {}});
      continue;
    }
    absl::StatusOr<BytesTensor> classes =
        Classify(tensor, model_->signature.max_batch > 0, output.classification, model_->labels);
    if (!classes.ok()) return Annotate(classes.status(), absl::StrCat("output '", name, "'"));
    texts->push_back(*std::move(classes));
    const std::span<const char> text(texts->back().data);
    response.outputs.push_back({name, std::nullopt, texts->back().shape, std::as_bytes(text), {}});
  }
  if (!texts->empty()) response.memory = std::move(texts);
  return response;
}

absl::Status InferReply::Keep(size_t index, std::span<const TensorView> outputs) {
  for (const TensorView& output : outputs) {
    WAYSTONE_ASSIGN_OR_RETURN(Tensor copy, Tensor::Create(output.type, output.shape));
    std::memcpy(copy.bytes().data(), output.data.data(), output.data.size());
    kept_[index].push_back(std::move(copy));
  }
  return absl::OkStatus();
}

absl::StatusOr<InferResponse> InferReply::Join() {
  auto joined = std::make_shared<std::vector<Tensor>>();
  std::vector<TensorView> views;
  for (size_t output = 0; output < kept_.front().size(); ++output) {
    Shape shape = kept_.front()[output].shape();
    shape[0] = rows_;
    WAYSTONE_ASSIGN_OR_RETURN(Tensor whole, Tensor::Create(kept_.front()[output].type(), shape));
    size_t at = 0;
    for (std::vector<Tensor>& part : kept_) {
      const std::span<const std::byte> bytes = part[output].bytes();
      if (bytes.size() > whole.byte_size() - at) {
        return absl::InternalError("the parts of the request were answered in different shapes");
      }
      std::memcpy(whole.bytes().data() + at, bytes.data(), bytes.size());
      at += bytes.size();
    }
    joined->push_back(std::move(whole));
  }
  for (Tensor& tensor : *joined) views.push_back(tensor.view());
  WAYSTONE_ASSIGN_OR_RETURN(InferResponse response, Make(views));
  response.memory = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
      std::move(response.memory), std::move(joined));
  return response;
}

}  // namespace waystone
