// SPDX-License-Identifier: Apache-2.0
#include "net/connection_registry.h"

namespace waystone {

std::optional<ConnectionRegistry::Place> ConnectionRegistry::Enter(const std::string& client) {
  MutexLock lock(mutex_);
  if (open_ >= max_connections_) return std::nullopt;
  const auto known = per_client_.find(client);
  if (known != per_client_.end() && known->second >= max_per_client_) return std::nullopt;
  ++per_client_[client];
  ++open_;
  connections_.emplace(next_id_, std::weak_ptr<HttpConnection>());
  return Place(this, next_id_++, client);
}

std::optional<ConnectionRegistry::Place> ConnectionRegistry::EnterToBeRefused() {
  MutexLock lock(mutex_);
  if (refusals_ >= kMaxRefusals) return std::nullopt;
  ++refusals_;
  connections_.emplace(next_id_, std::weak_ptr<HttpConnection>());
  return Place(this, next_id_++, std::string());
}

void ConnectionRegistry::Attach(uint64_t id, std::weak_ptr<HttpConnection> connection) {
  MutexLock lock(mutex_);
  const auto entry = connections_.find(id);
  if (entry != connections_.end()) entry->second = std::move(connection);
}

std::vector<std::shared_ptr<HttpConnection>> ConnectionRegistry::All() const {
  std::vector<std::shared_ptr<HttpConnection>> all;
  MutexLock lock(mutex_);
  all.reserve(connections_.size());
  for (const auto& [id, weak] : connections_) {
    if (std::shared_ptr<HttpConnection> connection = weak.lock()) all.push_back(std::move(connection));
  }
  return all;
}

size_t ConnectionRegistry::open() const {
  MutexLock lock(mutex_);
  return open_;
}

bool ConnectionRegistry::AwaitEmpty(Duration timeout) {
  const TimePoint until = Deadline::After(SteadyClock().Now(), timeout).when();
  MutexLock lock(mutex_);
  while (!connections_.empty()) {
    if (!left_.WaitUntil(mutex_, until)) return connections_.empty();
  }
  return true;
}

void ConnectionRegistry::Leave(uint64_t id, const std::string& client) {
  MutexLock lock(mutex_);
  connections_.erase(id);
  if (connections_.empty()) left_.NotifyAll();
  if (client.empty()) {
    --refusals_;
    return;
  }
  --open_;
  const auto known = per_client_.find(client);
  if (--known->second == 0) per_client_.erase(known);
}

}  // namespace waystone
