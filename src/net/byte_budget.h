// SPDX-License-Identifier: Apache-2.0
//
// A number of bytes that many may take from and nobody may exceed: request bodies are charged as they arrive,
// so what clients only declare costs nothing. A Share gives back what it took when it is destroyed. The
// budget is thread-safe and must outlive its shares; a Share is thread-compatible and move-only.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace waystone {

class ByteBudget {
 public:
  class Share {
   public:
    explicit Share(ByteBudget& budget) : budget_(&budget) {}
    Share(Share&& other) noexcept : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      if (this != &other) {
        Release();
        budget_ = other.budget_;
        bytes_ = std::exchange(other.bytes_, 0);
      }
      return *this;
    }
    ~Share() { Release(); }

    // False, and nothing taken, when the budget has fewer left.
    bool Add(uint64_t bytes) {
      if (!budget_->TryTake(bytes)) return false;
      bytes_ += bytes;
      return true;
    }
    uint64_t bytes() const { return bytes_; }

   private:
    void Release() { budget_->taken_.fetch_sub(std::exchange(bytes_, 0), std::memory_order_relaxed); }

    ByteBudget* budget_;
    uint64_t bytes_ = 0;
  };

  explicit ByteBudget(uint64_t limit) : limit_(limit) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  uint64_t limit() const { return limit_; }
  uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }

 private:
  bool TryTake(uint64_t bytes) {
    uint64_t taken = taken_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit_ - taken) return false;
    } while (!taken_.compare_exchange_weak(taken, taken + bytes, std::memory_order_relaxed));
    return true;
  }

  const uint64_t limit_;
  std::atomic<uint64_t> taken_{0};
};

}  // namespace waystone
