// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace waystone {

void CheckFailed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "CHECK failed: %s (%s) at %s:%d\n", condition, message, file, line);
  std::abort();
}

}  // namespace waystone
