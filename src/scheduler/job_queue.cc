// SPDX-License-Identifier: Apache-2.0
#include "scheduler/job_queue.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/check.h"

namespace waystone {
namespace {

constexpr size_t kMostIdleTenants = 1024;

}  // namespace

int64_t JobQueue::rows(uint64_t shape) const {
  const auto found = rows_.find(shape);
  return found == rows_.end() ? 0 : found->second;
}

bool JobQueue::HasRoomFor(const JobTerms& terms) const {
  return size_ < limits_.max_jobs && terms.bytes <= limits_.max_bytes &&
         bytes_ <= limits_.max_bytes - terms.bytes;
}

JobQueue::Tenant& JobQueue::Enter(const std::string& name) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [other, tenant] : tenants_) {
    if (!tenant.jobs.empty()) least = std::min(least, tenant.virtual_ns);
  }
  if (tenants_.size() > kMostIdleTenants) {
    std::erase_if(tenants_, [](const auto& item) { return item.second.jobs.empty(); });
  }
  auto [found, fresh] = tenants_.try_emplace(name);
  Tenant& tenant = found->second;
  if (fresh) {
    if (const auto weight = weights_.find(name); weight != weights_.end()) tenant.weight = weight->second;
  }
  // Level with those that wait; where nobody does, the past is over.
  if (tenant.jobs.empty()) {
    tenant.virtual_ns = size_ == 0 ? tenant.virtual_ns : std::max(tenant.virtual_ns, least);
  }
  return tenant;
}

void JobQueue::Push(std::unique_ptr<Job> job, Duration cost) {
  const JobTerms& terms = job->terms();
  Tenant& tenant = Enter(terms.tenant);
  const Key key = KeyOf(terms, next_number_++);
  if (!terms.stream.empty()) streams_[terms.stream] = {terms.tenant, key};
  ++size_;
  bytes_ += terms.bytes;
  rows_[terms.shape] += terms.rows;
  backlog_ += cost;
  tenant.jobs.emplace(key, Entry{std::move(job), cost});
}

std::unique_ptr<Job> JobQueue::Remove(Tenant& tenant, std::map<Key, Entry>::iterator entry) {
  std::unique_ptr<Job> job = std::move(entry->second.job);
  const JobTerms& terms = job->terms();
  --size_;
  bytes_ -= terms.bytes;
  backlog_ -= entry->second.cost;
  if (const auto rows = rows_.find(terms.shape); (rows->second -= terms.rows) == 0) rows_.erase(rows);
  if (!terms.stream.empty()) streams_.erase(terms.stream);
  tenant.jobs.erase(entry);
  return job;
}

std::unique_ptr<Job> JobQueue::TakeStream(const std::string& stream) {
  const auto found = streams_.find(stream);
  if (stream.empty() || found == streams_.end()) return nullptr;
  Tenant& tenant = tenants_.at(found->second.tenant);
  return Remove(tenant, tenant.jobs.find(found->second.key));
}

std::unique_ptr<Job> JobQueue::TakeForTenant(const std::string& name) {
  double weights = 0;
  double own_weight = 1;
  if (const auto weight = weights_.find(name); weight != weights_.end()) own_weight = weight->second;
  size_t own = 0;
  for (const auto& [other, tenant] : tenants_) {
    if (other == name) own = tenant.jobs.size();
    if (other != name && !tenant.jobs.empty()) weights += tenant.weight;
  }
  weights += own_weight;
  const double room = static_cast<double>(limits_.max_jobs);
  if (static_cast<double>(own) + 1 > room * own_weight / weights) return nullptr;
  Tenant* largest = nullptr;
  double most_beyond = 0;
  for (auto& [other, tenant] : tenants_) {
    const double beyond = static_cast<double>(tenant.jobs.size()) - room * tenant.weight / weights;
    if (other == name || beyond <= most_beyond) continue;
    most_beyond = beyond;
    largest = &tenant;
  }
  return largest == nullptr ? nullptr : Remove(*largest, std::prev(largest->jobs.end()));
}

JobQueue::Tenants::const_iterator JobQueue::Next() const {
  auto best = tenants_.end();
  const auto rank = [](const Tenant& tenant) {
    const auto& [priority, deadline, number] = tenant.jobs.begin()->first;
    return std::tuple(priority, tenant.virtual_ns, deadline, number);
  };
  for (auto it = tenants_.begin(); it != tenants_.end(); ++it) {
    if (it->second.jobs.empty()) continue;
    if (best == tenants_.end() || rank(it->second) < rank(best->second)) best = it;
  }
  return best;
}

const Job& JobQueue::Head() const {
  WAYSTONE_CHECK(!empty(), "an empty queue has no head");
  return *Next()->second.jobs.begin()->second.job;
}

std::unique_ptr<Job> JobQueue::TakeHead() {
  WAYSTONE_CHECK(!empty(), "an empty queue has no head");
  Tenant& tenant = tenants_.at(Next()->first);
  return Remove(tenant, tenant.jobs.begin());
}

std::unique_ptr<Job> JobQueue::TakeNext(uint64_t shape, int64_t rows) {
  if (JobQueue::rows(shape) == 0) return nullptr;
  Tenant* best = nullptr;
  std::map<Key, Entry>::iterator chosen;
  for (auto& [name, tenant] : tenants_) {
    const auto fits = [&](const auto& item) {
      const JobTerms& terms = item.second.job->terms();
      return terms.shape == shape && terms.rows <= rows;
    };
    const auto first = std::find_if(tenant.jobs.begin(), tenant.jobs.end(), fits);
    if (first == tenant.jobs.end()) continue;
    const auto rank = [](const Tenant& of, const Key& key) {
      return std::tuple(std::get<0>(key), of.virtual_ns, std::get<1>(key), std::get<2>(key));
    };
    if (best == nullptr || rank(tenant, first->first) < rank(*best, chosen->first)) {
      best = &tenant;
      chosen = first;
    }
  }
  return best == nullptr ? nullptr : Remove(*best, chosen);
}

void JobQueue::Charge(const std::string& name, Duration cost) {
  const auto found = tenants_.find(name);
  if (found == tenants_.end()) return;
  found->second.virtual_ns += static_cast<double>(cost.count()) / found->second.weight;
}

JobQueue::Work JobQueue::WorkBefore(const JobTerms& terms) const {
  // All of other tenants' work that does not rank lower counts: which of it comes first is not known yet.
  const Key key = KeyOf(terms, std::numeric_limits<uint64_t>::max());
  Work before = {backlog_, size_};
  for (const auto& [name, tenant] : tenants_) {
    const Key from = name == terms.tenant ? key : Key{terms.priority + 1, TimePoint::min(), 0};
    for (auto it = tenant.jobs.rbegin(); it != tenant.jobs.rend() && it->first > from; ++it) {
      before.time -= it->second.cost;
      --before.jobs;
    }
  }
  return before;
}

std::vector<JobQueue::Waiting> JobQueue::Behind(const JobTerms& terms) const {
  std::vector<Waiting> behind;
  const auto tenant = tenants_.find(terms.tenant);
  if (tenant == tenants_.end()) return behind;
  const Key key = KeyOf(terms, std::numeric_limits<uint64_t>::max());
  const auto& jobs = tenant->second.jobs;
  for (auto it = jobs.upper_bound(key); it != jobs.end(); ++it) {
    behind.push_back({it->second.job->terms().deadline, it->second.cost});
  }
  return behind;
}

std::vector<std::unique_ptr<Job>> JobQueue::TakeIf(const std::function<bool(const Job&)>& wanted) {
  std::vector<std::unique_ptr<Job>> taken;
  for (auto& [name, tenant] : tenants_) {
    for (auto it = tenant.jobs.begin(); it != tenant.jobs.end();) {
      const auto entry = it++;
      if (wanted(*entry->second.job)) taken.push_back(Remove(tenant, entry));
    }
  }
  return taken;
}

Deadline JobQueue::EarliestDeadline() const {
  Deadline earliest = Deadline::Never();
  for (const auto& [name, tenant] : tenants_) {
    int priority = 0;
    // Within a priority the first is the earliest.
    for (auto it = tenant.jobs.begin(); it != tenant.jobs.end();
         it = tenant.jobs.lower_bound(Key{priority + 1, TimePoint::min(), 0})) {
      priority = std::get<0>(it->first);
      earliest = std::min(earliest, it->second.job->terms().deadline);
    }
  }
  return earliest;
}

}  // namespace waystone
