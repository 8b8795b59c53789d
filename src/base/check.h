// SPDX-License-Identifier: Apache-2.0
//
// WAYSTONE_CHECK: an invariant of ours that must hold. A failure is a defect in the program, so it prints
// where and what, and aborts. Nothing that comes from outside (requests, files, models, flags) may reach one:
// that is a Status.
#pragma once

namespace waystone {

// Prints "CHECK failed: condition (message) at file:line" to standard error and aborts.
[[noreturn]] void CheckFailed(const char* condition, const char* message, const char* file, int line);

}  // namespace waystone

#define WAYSTONE_CHECK(condition, message)                              \
  do {                                                                  \
    if (!(condition)) [[unlikely]]                                      \
      ::waystone::CheckFailed(#condition, message, __FILE__, __LINE__); \
  } while (false)
