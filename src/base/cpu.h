// SPDX-License-Identifier: Apache-2.0
//
// How many threads this process may run at once: the smaller of the affinity mask and the cgroup CPU quota
// (v2 or v1), not the host's core count; at least 1. A container with a quota of 2 on a 64-core host gets 2.
#pragma once

#include <optional>
#include <string>

namespace waystone {

int AvailableCpus();

// The quota in whole CPUs, rounded up, of a cgroup v2 "cpu.max" text ("200000 100000" is 2); nothing for
// "max" or text that is not of that form.
std::optional<int> CpusFromCpuMax(const std::string& text);

}  // namespace waystone
