// SPDX-License-Identifier: Apache-2.0
#include "grpc/health_watch.h"

#include "grpc/call_status.h"
#include "grpc/message_codec.h"
#include "types/refusal.h"

namespace waystone {

void HealthWatch::Tell(State state, bool last) {
  {
    MutexLock lock(mutex_);
    if (last_) return;
    newest_ = state;
    last_ = last;
  }
  Pump();
}

void HealthWatch::OnWriteDone(bool ok) {
  {
    MutexLock lock(mutex_);
    writing_ = false;
    if (!ok) broken_ = true;
  }
  Pump();
}

void HealthWatch::OnCancel() {
  {
    MutexLock lock(mutex_);
    broken_ = true;
  }
  Pump();
}

void HealthWatch::OnDone() {
  watches_->Remove(this);
  const std::shared_ptr<HealthWatch> last = std::move(self_);  // may destroy this object at the end
}

void HealthWatch::Pump() {
  for (;;) {
    Step step = Step::kNothing;
    bool told = false;
    {
      MutexLock lock(mutex_);
      if (pumping_) return;  // the one that pumps looks again
      step = Next();
      if (step == Step::kNothing) return;
      pumping_ = true;
      told = last_ && !broken_;
    }
    if (step == Step::kFinish) {
      const absl::Status status = told ? Refuse(RefusalReason::kDraining, "the server is stopping")
                                       : Refuse(RefusalReason::kCancelled, "the client has left");
      AddRefusal(status, context_);
      Finish(ToGrpcStatus(status));
      return;  // pumping_ stays: nothing may follow
    }
    StartWrite(&outgoing_);
    MutexLock lock(mutex_);
    pumping_ = false;
  }
}

HealthWatch::Step HealthWatch::Next() {
  if (finished_ || writing_) return Step::kNothing;
  if (!broken_ && newest_ != told_) {
    grpc::health::v1::HealthCheckResponse message;
    message.set_status(static_cast<State>(newest_));
    const absl::Status encoded = WithoutExceptions([&] { return SerializeMessage(message, outgoing_); });
    if (encoded.ok()) {
      told_ = newest_;
      writing_ = true;
      return Step::kWrite;
    }
    broken_ = true;
  }
  if (!broken_ && !last_) return Step::kNothing;
  finished_ = true;
  return Step::kFinish;
}

}  // namespace waystone
