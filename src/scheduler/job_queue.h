// SPDX-License-Identifier: Apache-2.0
//
// The jobs of one model that wait, bounded in number and bytes. Order: the higher priority first; among
// tenants the one that has taken least of its share; within a tenant the earliest deadline, then the first to
// come. With one tenant that is earliest deadline first. Of one stream at most one job waits: a newer one
// takes the older one's place.
//
// A tenant's share is kept as virtual time: the cost it took divided by its weight. A tenant that comes back
// starts level with those that are waiting, so idleness earns nothing. Thread-compatible; the scheduler holds
// its lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "scheduler/job.h"

namespace waystone {

struct JobQueueLimits {
  size_t max_jobs = 256;
  size_t max_bytes = size_t{256} << 20;  // of the inputs that wait
};

class JobQueue {
 public:
  // `weights` of tenants by name; others weigh 1.
  JobQueue(JobQueueLimits limits, std::map<std::string, double> weights)
      : limits_(limits), weights_(std::move(weights)) {}

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t bytes() const { return bytes_; }
  int64_t rows(uint64_t shape) const;
  // What all that waits is expected to cost.
  Duration backlog() const { return backlog_; }
  const JobQueueLimits& limits() const { return limits_; }
  bool HasRoomFor(const JobTerms& terms) const;

  // Takes the job in, whatever the limits. `cost` is what it is expected to take.
  void Push(std::unique_ptr<Job> job, Duration cost);
  // The waiting job of that stream, taken out; null where there is none.
  std::unique_ptr<Job> TakeStream(const std::string& stream);
  // Where the queue is full and `tenant` holds less than its share: the job of another tenant, beyond its own
  // share, that would be served last, taken out. Null where there is none.
  std::unique_ptr<Job> TakeForTenant(const std::string& tenant);

  // The job that is next; the queue is not empty.
  const Job& Head() const;
  // The head, taken out.
  std::unique_ptr<Job> TakeHead();
  // The next job of that shape with at most `rows`, taken out; null where there is none. Others that wait
  // keep their place.
  std::unique_ptr<Job> TakeNext(uint64_t shape, int64_t rows);
  // Counts the time of a batch beside the expected one towards the tenant's share.
  void Charge(const std::string& tenant, Duration cost);

  struct Work {
    Duration time{};
    size_t jobs = 0;
  };
  // What would be served before a job of these terms, and the time it is expected to take in all.
  Work WorkBefore(const JobTerms& terms) const;
  struct Waiting {
    Deadline deadline = Deadline::Never();
    Duration cost{};
  };
  // The jobs that a job of these terms would go before, in order.
  std::vector<Waiting> Behind(const JobTerms& terms) const;

  // Takes out each job for which `wanted` holds.
  std::vector<std::unique_ptr<Job>> TakeIf(const std::function<bool(const Job&)>& wanted);
  // Never() when empty.
  Deadline EarliestDeadline() const;

 private:
  using Key = std::tuple<int, TimePoint, uint64_t>;  // priority, deadline, order of coming
  struct Entry {
    std::unique_ptr<Job> job;
    Duration cost;
  };
  struct Tenant {
    double weight = 1;
    double virtual_ns = 0;
    std::map<Key, Entry> jobs;
  };
  using Tenants = std::map<std::string, Tenant>;
  struct Place {
    std::string tenant;
    Key key;
  };

  static Key KeyOf(const JobTerms& terms, uint64_t number) {
    return {terms.priority, terms.deadline.when(), number};
  }
  Tenant& Enter(const std::string& name);
  Tenants::const_iterator Next() const;
  std::unique_ptr<Job> Remove(Tenant& tenant, std::map<Key, Entry>::iterator entry);

  const JobQueueLimits limits_;
  const std::map<std::string, double> weights_;
  Tenants tenants_;
  std::unordered_map<std::string, Place> streams_;
  std::unordered_map<uint64_t, int64_t> rows_;  // by shape
  size_t size_ = 0;
  size_t bytes_ = 0;
  Duration backlog_{};
  uint64_t next_number_ = 0;
};

}  // namespace waystone
