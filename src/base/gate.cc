// SPDX-License-Identifier: Apache-2.0
#include "base/gate.h"

namespace waystone {

void Gate::Pass::Leave() {
  if (gate_ == nullptr) return;
  MutexLock lock(gate_->mutex_);
  if (--gate_->inside_ == 0) gate_->left_.NotifyAll();
  gate_ = nullptr;
}

std::optional<Gate::Pass> Gate::Enter() {
  MutexLock lock(mutex_);
  if (closed_) return std::nullopt;
  ++inside_;
  return Pass(this);
}

void Gate::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
}

bool Gate::AwaitEmpty(Duration timeout) {
  const TimePoint until = Deadline::After(SteadyClock().Now(), timeout).when();
  MutexLock lock(mutex_);
  while (inside_ > 0) {
    if (!left_.WaitUntil(mutex_, until)) return inside_ == 0;
  }
  return true;
}

size_t Gate::inside() const {
  MutexLock lock(mutex_);
  return inside_;
}

bool Gate::closed() const {
  MutexLock lock(mutex_);
  return closed_;
}

}  // namespace waystone
