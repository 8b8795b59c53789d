// SPDX-License-Identifier: Apache-2.0
#include "base/gate.h"

#include "absl/time/time.h"

namespace waystone {

void Gate::Pass::Leave() {
  if (gate_ == nullptr) return;
  absl::MutexLock lock(&gate_->mutex_);
  --gate_->inside_;
  gate_ = nullptr;
}

std::optional<Gate::Pass> Gate::Enter() {
  absl::MutexLock lock(&mutex_);
  if (closed_) return std::nullopt;
  ++inside_;
  return Pass(this);
}

void Gate::Close() {
  absl::MutexLock lock(&mutex_);
  closed_ = true;
}

bool Gate::AwaitEmpty(Duration timeout) {
  absl::MutexLock lock(&mutex_);
  return mutex_.AwaitWithTimeout(absl::Condition(this, &Gate::Empty), absl::FromChrono(timeout));
}

size_t Gate::inside() const {
  absl::MutexLock lock(&mutex_);
  return inside_;
}

bool Gate::closed() const {
  absl::MutexLock lock(&mutex_);
  return closed_;
}

}  // namespace waystone
