// SPDX-License-Identifier: Apache-2.0
//
// One piece of work as the scheduler sees it: how large it is, what it may share a batch with, and by when it
// is of use. What the work is, only the runner of its model knows. A job is answered exactly once: by its
// runner, or by Refuse. Confined to one thread at a time; the scheduler hands it on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"

#include "base/clock.h"
#include "base/deadline.h"

namespace waystone {

// Beyond it priorities are not told apart, so that counting on from one never overflows.
inline constexpr int kLowestPriority = 1'000'000;

struct JobTerms {
  int64_t rows = 1;    // of the batch axis; at least 1
  uint64_t shape = 0;  // jobs of different shapes never share a batch
  size_t bytes = 0;    // of its inputs, against the queue's budget
  Deadline deadline = Deadline::Never();
  int priority = 1;                 // 1 is the highest, kLowestPriority the lowest; a higher one goes first
  std::string stream;               // newest frame wins: at most one job of a stream waits; empty: none
  std::string tenant;               // whose share it takes
  std::function<bool()> cancelled;  // true once nobody waits for the answer; thread-safe; may be empty
};

class Job {
 public:
  explicit Job(JobTerms terms) : terms_(std::move(terms)) {}
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  virtual ~Job() = default;

  const JobTerms& terms() const { return terms_; }
  bool cancelled() const { return terms_.cancelled && terms_.cancelled(); }
  // Tells the client why it will not be run. Called without locks held, at most once, and then nothing else.
  virtual void Refuse(absl::Status reason) = 0;

  // Set by the scheduler when it accepts the job.
  TimePoint admitted{};

 private:
  const JobTerms terms_;
};

}  // namespace waystone
