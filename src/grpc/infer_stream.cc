// SPDX-License-Identifier: Apache-2.0
#include "grpc/infer_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "grpc/call_status.h"
#include "grpc/message_codec.h"
#include "proto/grpc_service.pb.h"
#include "types/refusal.h"

namespace waystone {
namespace {

bool HasMetadata(const grpc::CallbackServerContext& context, const char* key, absl::string_view value) {
  const auto found = context.client_metadata().find(key);
  return found != context.client_metadata().end() &&
         absl::string_view(found->second.data(), found->second.size()) == value;
}

}  // namespace

InferStream::Reactor* InferStream::Begin(grpc::CallbackServerContext& context,
                                         const InferStreamShared& shared) {
  auto stream = std::make_shared<InferStream>(context, shared);
  if (!shared.streams->Add(stream)) {
    const absl::Status refusal =
        Refuse(RefusalReason::kQueueFull,
               absl::StrCat("the server has ", shared.streams->limit(), " streams open, which is its limit"));
    AddRefusal(refusal, context);
    return new EndedCall<Reactor>(ToGrpcStatus(refusal));
  }
  stream->self_ = stream;
  // A stop that has begun may have missed this stream when it told the others.
  if (shared.admission->closed()) stream->BeginDrain();
  stream->Pump();
  return stream.get();
}

InferStream::InferStream(grpc::CallbackServerContext& context, const InferStreamShared& shared)
    : context_(context), shared_(shared), strict_errors_(HasMetadata(context, kStrictErrorsKey, "true")) {}

void InferStream::BeginDrain() {
  {
    MutexLock lock(mutex_);
    draining_ = true;
  }
  Pump();
}

void InferStream::OnReadDone(bool ok) {
  uint64_t number = 0;
  {
    MutexLock lock(mutex_);
    if (ok && !finished_) {
      number = first_ + places_.size();
      places_.emplace_back();
    } else {
      ok = false;
      reading_ = false;
      read_all_ = true;
    }
  }
  if (ok) Accept(number);
  Pump();
}

void InferStream::OnWriteDone(bool ok) {
  SharedPass answered;
  {
    MutexLock lock(mutex_);
    writing_ = false;
    answered = std::move(writing_pass_);
    if (!ok) broken_ = true;
  }
  answered.reset();  // outside the lock, and before the next request is read
  Pump();
}

void InferStream::OnCancel() {
  cancelled_->store(true, std::memory_order_release);
  {
    MutexLock lock(mutex_);
    broken_ = true;
  }
  Pump();
}

void InferStream::OnDone() {
  shared_.streams->Remove(this);
  std::deque<Place> unanswered;
  SharedPass unsent;
  {
    MutexLock lock(mutex_);
    unanswered.swap(places_);
    unsent = std::move(writing_pass_);
  }
  const std::shared_ptr<InferStream> last = std::move(self_);  // may destroy this object at the end
}

void InferStream::Accept(uint64_t number) {
  Origin origin;
  origin.number = number;
  InferRequest request;
  absl::Status status = WithoutExceptions([&] { return Decode(origin, request); });
  if (status.ok()) {
    status = WithoutExceptions([&] {
      InferCallback callback = [stream = shared_from_this(),
                                origin](const absl::StatusOr<InferResponse>& result) {
        stream->Answer(origin, result);
      };
      origin.pass.reset();  // now the callback's: this thread may see the request end
      shared_.service.Infer(std::move(request), std::move(callback));
      return absl::OkStatus();
    });
  }
  if (!status.ok()) Answer(origin, status);
  // Only now the next one is read: the service gets the requests of a stream in their order, on which
  // sequences and streams of frames depend.
  MutexLock lock(mutex_);
  reading_ = false;
}

absl::Status InferStream::Decode(Origin& origin, InferRequest& request) {
  auto message = std::make_shared<inference::ModelInferRequest>();
  WAYSTONE_ASSIGN_OR_RETURN(const uint64_t bytes,
                            ParsedBytes(incoming_, *message->GetDescriptor(), shared_.max_parsed_bytes));
  absl::StatusOr<Admission::Pass> pass = shared_.admission->Enter(bytes);
  // Parsed even when it is refused: the answer names the request, and one message is a bounded cost.
  WAYSTONE_RETURN_IF_ERROR(ParseMeasured(incoming_, *message));
  origin.model = WireName(message->model_name());
  origin.version = WireName(message->model_version());
  if (message->id().size() <= shared_.limits.max_name_bytes) origin.id = message->id();
  WAYSTONE_RETURN_IF_ERROR(pass.status());
  origin.pass = std::make_shared<Admission::Pass>(*std::move(pass));
  {
    MutexLock lock(mutex_);
    places_[origin.number - first_].pass = origin.pass;
  }
  WAYSTONE_ASSIGN_OR_RETURN(request,
                            DecodeInferRequest(std::move(message), InferOrigin::kStream, shared_.limits));
  return StampRequest(context_, cancelled_, shared_.limits.max_name_bytes, request);
}

absl::Status InferStream::EncodeAnswer(const absl::StatusOr<InferResponse>& result,
                                       grpc::ByteBuffer& answer) {
  WAYSTONE_RETURN_IF_ERROR(result.status());
  inference::ModelStreamInferResponse message;
  inference::ModelInferResponse& response = *message.mutable_infer_response();
  WAYSTONE_RETURN_IF_ERROR(EncodeInferResponse(*result, response));
  (*response.mutable_parameters())[kFinalResponse].set_bool_param(true);
  return SerializeMessage(message, answer);
}

absl::Status InferStream::EncodeError(const Origin& origin, const absl::Status& error,
                                      grpc::ByteBuffer& answer) {
  inference::ModelStreamInferResponse message;
  message.set_error_message(WireMessage(error));
  inference::ModelInferResponse& response = *message.mutable_infer_response();
  response.set_model_name(origin.model);
  response.set_model_version(origin.version);
  response.set_id(origin.id);
  (*response.mutable_parameters())[kFinalResponse].set_bool_param(true);
  const std::string reason = RefusalReasonOf(error);
  if (!reason.empty()) (*response.mutable_parameters())[kRefusalParameter].set_string_param(reason);
  return SerializeMessage(message, answer);
}

void InferStream::Answer(const Origin& origin, const absl::StatusOr<InferResponse>& result) {
  grpc::ByteBuffer answer;
  absl::Status status = WithoutExceptions([&] { return EncodeAnswer(result, answer); });
  const absl::Status sendable =
      status.ok() ? status : WithoutExceptions([&] { return EncodeError(origin, status, answer); });
  {
    MutexLock lock(mutex_);
    if (finished_ || origin.number < first_ || origin.number - first_ >= places_.size()) return;
    Place& place = places_[origin.number - first_];
    if (place.answer) return;
    if (!sendable.ok()) broken_ = true;  // no memory left even for the error
    place.status = std::move(status);
    place.answer = std::move(answer);
  }
  Pump();
}

void InferStream::Pump() {
  for (;;) {
    Step step = Step::kNothing;
    absl::Status status;
    {
      MutexLock lock(mutex_);
      if (pumping_) return;  // the one that pumps looks again
      step = Next();
      if (step == Step::kNothing) return;
      pumping_ = true;
      status = final_status_;
    }
    if (step == Step::kRead) StartRead(&incoming_);
    if (step == Step::kWrite) StartWrite(&outgoing_);
    if (step == Step::kFinish) {
      if (!status.ok()) AddRefusal(status, context_);
      Finish(ToGrpcStatus(status));
      return;  // pumping_ stays: nothing may follow
    }
    MutexLock lock(mutex_);
    pumping_ = false;
  }
}

InferStream::Step InferStream::Next() {
  if (finished_) return Step::kNothing;
  if (!writing_) {
    if (broken_) {
      FinishWith(Refuse(RefusalReason::kCancelled, "the client has cancelled the stream"));
      return Step::kFinish;
    }
    if (!places_.empty() && places_.front().answer) {
      Place& front = places_.front();
      if (strict_errors_ && !front.status.ok()) {
        FinishWith(front.status);
        return Step::kFinish;
      }
      outgoing_ = *std::move(front.answer);
      writing_pass_ = std::move(front.pass);
      places_.pop_front();
      ++first_;
      writing_ = true;
      return Step::kWrite;
    }
    if (places_.empty() && read_all_) {
      FinishWith(absl::OkStatus());
      return Step::kFinish;
    }
    if (places_.empty() && draining_) {
      FinishWith(Refuse(RefusalReason::kDraining, "the server is stopping"));
      return Step::kFinish;
    }
  }
  const size_t in_flight = places_.size() + (writing_ ? 1 : 0);
  if (reading_ || read_all_ || draining_ || broken_ || in_flight >= shared_.max_in_flight)
    return Step::kNothing;
  reading_ = true;
  return Step::kRead;
}

void InferStream::FinishWith(absl::Status status) {
  finished_ = true;
  if (!status.ok()) cancelled_->store(true, std::memory_order_release);
  final_status_ = std::move(status);
}

}  // namespace waystone
