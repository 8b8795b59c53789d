// SPDX-License-Identifier: Apache-2.0
//
// Calls into an engine's library, which may throw, made into calls that answer a status. Thread-safe.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace waystone {

// Runs `call`, which returns a Status or StatusOr, and makes a status of whatever it throws:
// ResourceExhausted for memory that was not there, `to_status(code, doing, error)` for the rest.
template <typename Call, typename ToStatus>
auto Guarded(absl::StatusCode code, absl::string_view doing, const Call& call, const ToStatus& to_status)
    -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(absl::StrCat(doing, ": out of memory"));
  } catch (const std::exception& error) {
    return to_status(code, doing, error);
  } catch (...) {
    return to_status(code, doing, std::runtime_error("an exception without a text"));
  }
}

}  // namespace waystone
