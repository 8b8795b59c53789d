// SPDX-License-Identifier: Apache-2.0
#include "net/response_queue.h"

#include <utility>

#include "base/check.h"

namespace waystone {

uint64_t ResponseQueue::Push(PendingAnswer pending) {
  body_bytes_ += pending.body.bytes();
  pending_.push_back(std::move(pending));
  return first_id_ + pending_.size() - 1;
}

bool ResponseQueue::Put(uint64_t id, HttpResponse response) {
  if (id < first_id_ || id - first_id_ >= pending_.size()) return false;
  std::optional<HttpResponse>& place = pending_[id - first_id_].response;
  if (place.has_value()) return false;
  place = std::move(response);
  return true;
}

PendingAnswer ResponseQueue::Pop() {
  WAYSTONE_CHECK(front_is_ready(), "only an answer that is there can be taken out");
  PendingAnswer front = std::move(pending_.front());
  pending_.pop_front();
  ++first_id_;
  body_bytes_ -= front.body.bytes();
  return front;
}

void ResponseQueue::Clear() {
  first_id_ += pending_.size();
  pending_.clear();
  body_bytes_ = 0;
}

}  // namespace waystone
