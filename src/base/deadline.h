// SPDX-License-Identifier: Apache-2.0
//
// The point of time by which an answer is of use. A value: absolute, so it can be handed on without losing
// time on the way, and checked at each stage (admission, dequeue, before the run). Never() is after every
// point.
#pragma once

#include "base/clock.h"

namespace waystone {

class Deadline {
 public:
  static Deadline Never() { return Deadline(TimePoint::max()); }
  static Deadline At(TimePoint when) { return Deadline(when); }
  // `from` + `after`; Never() where the sum would overflow. A negative `after` has passed already.
  static Deadline After(TimePoint from, Duration after) {
    if (after > Duration::zero() && TimePoint::max() - from < after) return Never();
    return Deadline(from + after);
  }

  bool is_never() const { return when_ == TimePoint::max(); }
  TimePoint when() const { return when_; }
  bool HasPassed(TimePoint now) const { return now >= when_; }
  // Time left, zero once it has passed, Duration::max() for Never().
  Duration Left(TimePoint now) const {
    if (is_never()) return Duration::max();
    return now >= when_ ? Duration::zero() : when_ - now;
  }

  friend bool operator<(Deadline a, Deadline b) { return a.when_ < b.when_; }
  friend bool operator==(Deadline a, Deadline b) { return a.when_ == b.when_; }

 private:
  explicit Deadline(TimePoint when) : when_(when) {}
  TimePoint when_;
};

}  // namespace waystone
