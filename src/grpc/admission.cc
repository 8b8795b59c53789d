// SPDX-License-Identifier: Apache-2.0
#include "grpc/admission.h"

#include "absl/strings/str_cat.h"

#include "base/deadline.h"
#include "types/refusal.h"

namespace waystone {

void Admission::Pass::Leave() {
  if (admission_ == nullptr) return;
  admission_->Leave(bytes_);
  admission_.reset();
}

absl::StatusOr<Admission::Pass> Admission::Enter(uint64_t bytes) {
  MutexLock lock(mutex_);
  absl::Status refusal;
  if (state_ == State::kNew) {
    refusal = Refuse(RefusalReason::kNotReady, "the server has not started yet");
  } else if (state_ == State::kClosed) {
    refusal = Refuse(RefusalReason::kDraining, "the server is stopping");
  } else if (counts_.inside >= max_requests_) {
    refusal = Refuse(RefusalReason::kQueueFull, absl::StrCat("the server works on ", counts_.inside,
                                                             " requests, its limit is ", max_requests_));
  } else if (bytes > max_bytes_ - counts_.bytes) {
    refusal = Refuse(RefusalReason::kQueueFull,
                     absl::StrCat("a request of ", bytes, " bytes beside those in work (", counts_.bytes,
                                  " bytes) is over the limit of ", max_bytes_, " bytes"));
  }
  if (!refusal.ok()) {
    ++counts_.refused;
    return refusal;
  }
  ++counts_.accepted;
  ++counts_.inside;
  counts_.bytes += bytes;
  return Pass(shared_from_this(), bytes);
}

void Admission::Open() {
  MutexLock lock(mutex_);
  if (state_ == State::kNew) state_ = State::kOpen;
}

void Admission::Close() {
  MutexLock lock(mutex_);
  state_ = State::kClosed;
}

bool Admission::open() const {
  MutexLock lock(mutex_);
  return state_ == State::kOpen;
}

bool Admission::closed() const {
  MutexLock lock(mutex_);
  return state_ == State::kClosed;
}

bool Admission::AwaitEmpty(Duration timeout) {
  const Deadline until = Deadline::After(SteadyClock().Now(), timeout);
  MutexLock lock(mutex_);
  while (counts_.inside > 0) {
    if (until.is_never()) {
      left_.Wait(mutex_);
    } else if (!left_.WaitUntil(mutex_, until.when())) {
      return counts_.inside == 0;
    }
  }
  return true;
}

Admission::Counts Admission::counts() const {
  MutexLock lock(mutex_);
  return counts_;
}

void Admission::Leave(uint64_t bytes) {
  MutexLock lock(mutex_);
  --counts_.inside;
  counts_.bytes -= bytes;
  left_.NotifyAll();
}

}  // namespace waystone
