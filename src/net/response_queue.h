// SPDX-License-Identifier: Apache-2.0
//
// The answers of one connection, kept in the order of its requests: an answer that is ready early waits for
// those before it. Confined to the connection's strand.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "net/byte_budget.h"
#include "net/http_server.h"

namespace waystone {

// What of a request its answer depends on. `body` is charged until the answer is taken out.
struct PendingAnswer {
  bool is_head_request = false;  // the answer carries no body
  bool asks_keep_alive = false;  // an HTTP/1.0 client that must be told when its wish is granted
  ByteBudget::Share body;
  std::optional<HttpResponse> response;
};

class ResponseQueue {
 public:
  // The id by which Put() gives the answer.
  uint64_t Push(PendingAnswer pending);
  // False when this id was answered or taken out already.
  bool Put(uint64_t id, HttpResponse response);
  bool front_is_ready() const { return !pending_.empty() && pending_.front().response.has_value(); }
  // front_is_ready() must hold.
  PendingAnswer Pop();
  void Clear();

  bool empty() const { return pending_.empty(); }
  size_t size() const { return pending_.size(); }
  // Bytes of the bodies whose answers are outstanding.
  uint64_t body_bytes() const { return body_bytes_; }

 private:
  std::deque<PendingAnswer> pending_;
  uint64_t first_id_ = 0;  // of the front
  uint64_t body_bytes_ = 0;
};

}  // namespace waystone
