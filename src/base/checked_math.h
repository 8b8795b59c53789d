// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on sizes that come from outside: the result, or nothing when it does not fit. Thread-safe
// (pure).
#pragma once

#include <optional>

namespace waystone {

template <typename T>
std::optional<T> CheckedMultiply(T a, T b) {
  T result;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

template <typename T>
std::optional<T> CheckedAdd(T a, T b) {
  T result;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace waystone
