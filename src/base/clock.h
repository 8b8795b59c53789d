// SPDX-License-Identifier: Apache-2.0
//
// Time as a dependency: code that waits or stamps takes a Clock, tests give it a FakeClock. Monotonic; no
// relation to the calendar. All clocks are thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace waystone {

using Duration = std::chrono::nanoseconds;
// A point of monotonic time. The epoch is the clock's own.
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint Now() const = 0;
};

// std::chrono::steady_clock.
class SteadyClock final : public Clock {
 public:
  TimePoint Now() const override { return std::chrono::steady_clock::now(); }
};

// Stands still until told to move. Code under test that also looks at the real clock wants a start near its
// Now().
class FakeClock final : public Clock {
 public:
  explicit FakeClock(TimePoint start = TimePoint(std::chrono::seconds(1)))
      : now_ns_(start.time_since_epoch().count()) {}
  TimePoint Now() const override { return TimePoint(Duration(now_ns_.load(std::memory_order_acquire))); }
  void Advance(Duration by) { now_ns_.fetch_add(by.count(), std::memory_order_acq_rel); }

 private:
  std::atomic<int64_t> now_ns_;
};

// Milliseconds between two points, for reports.
inline double MillisecondsBetween(TimePoint begin, TimePoint end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

}  // namespace waystone
