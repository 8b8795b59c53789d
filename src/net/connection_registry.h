// SPDX-License-Identifier: Apache-2.0
//
// Who is connected: enforces the limits in all and per client address, and lets a stopping server reach every
// connection and wait until none is left. A Place is one connection's entry; destroying it leaves.
// Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "base/deadline.h"
#include "base/mutex.h"

namespace waystone {

class HttpConnection;

class ConnectionRegistry {
 public:
  class Place {
   public:
    Place(Place&& other) noexcept
        : registry_(std::exchange(other.registry_, nullptr)),
          id_(other.id_),
          client_(std::move(other.client_)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (registry_ != nullptr) registry_->Leave(id_, client_);
    }
    uint64_t id() const { return id_; }

   private:
    friend class ConnectionRegistry;
    Place(ConnectionRegistry* registry, uint64_t id, std::string client)
        : registry_(registry), id_(id), client_(std::move(client)) {}
    ConnectionRegistry* registry_;
    uint64_t id_;
    std::string client_;  // empty: one that is only being told no
  };

  ConnectionRegistry(size_t max_connections, size_t max_per_client)
      : max_connections_(max_connections), max_per_client_(max_per_client) {}
  ConnectionRegistry(const ConnectionRegistry&) = delete;
  ConnectionRegistry& operator=(const ConnectionRegistry&) = delete;

  // A place to be served; nothing when a limit is reached. `client` is its address.
  std::optional<Place> Enter(const std::string& client) ABSL_LOCKS_EXCLUDED(mutex_);
  // A place to be told no; nothing when kMaxRefusals are being told so already.
  std::optional<Place> EnterToBeRefused() ABSL_LOCKS_EXCLUDED(mutex_);
  // Makes the connection that holds the place `id` reachable for All(); nothing when it has left already.
  void Attach(uint64_t id, std::weak_ptr<HttpConnection> connection) ABSL_LOCKS_EXCLUDED(mutex_);

  // In the order in which they came.
  std::vector<std::shared_ptr<HttpConnection>> All() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Connections being served.
  size_t open() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits until there is no place left; false when `timeout` ended first.
  bool AwaitEmpty(Duration timeout) ABSL_LOCKS_EXCLUDED(mutex_);

  static constexpr size_t kMaxRefusals = 64;

 private:
  void Leave(uint64_t id, const std::string& client) ABSL_LOCKS_EXCLUDED(mutex_);

  const size_t max_connections_;
  const size_t max_per_client_;
  mutable Mutex mutex_;
  CondVar left_;
  std::map<uint64_t, std::weak_ptr<HttpConnection>> connections_ ABSL_GUARDED_BY(mutex_);
  std::unordered_map<std::string, size_t> per_client_ ABSL_GUARDED_BY(mutex_);
  size_t open_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t refusals_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace waystone
