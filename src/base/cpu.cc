// SPDX-License-Identifier: Apache-2.0
#include "base/cpu.h"

#include <algorithm>
#include <cmath>
#include <sched.h>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include "base/file.h"

namespace waystone {
namespace {

constexpr size_t kMaxCgroupFileBytes = 64 * 1024;

std::optional<int> CpusFromQuota(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return std::nullopt;
  return std::max(1, static_cast<int>(std::ceil(quota / period)));
}

// The tightest quota on the way from this process's cgroup to the root. In /proc/self/cgroup the line of v2
// starts with "0::", those of v1 name their controllers.
std::optional<int> CgroupCpus() {
  absl::StatusOr<std::string> own = ReadFile("/proc/self/cgroup", kMaxCgroupFileBytes);
  if (!own.ok()) return std::nullopt;
  std::optional<int> tightest;
  const auto take = [&tightest](std::optional<int> cpus) {
    if (cpus && (!tightest || *cpus < *tightest)) tightest = cpus;
  };
  for (absl::string_view line : absl::StrSplit(*own, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    std::string group = parts[2] == "/" ? "" : parts[2];
    while (true) {
      if (parts[1].empty()) {
        absl::StatusOr<std::string> max =
            ReadFile(absl::StrCat("/sys/fs/cgroup", group, "/cpu.max"), kMaxCgroupFileBytes);
        if (max.ok()) take(CpusFromCpuMax(*max));
      } else if (absl::StrContains(absl::StrCat(",", parts[1], ","), ",cpu,")) {
        const std::string folder = absl::StrCat("/sys/fs/cgroup/cpu", group);
        absl::StatusOr<std::string> quota = ReadFile(folder + "/cpu.cfs_quota_us", kMaxCgroupFileBytes);
        absl::StatusOr<std::string> period = ReadFile(folder + "/cpu.cfs_period_us", kMaxCgroupFileBytes);
        double quota_us = 0;
        double period_us = 0;
        if (quota.ok() && period.ok() && absl::SimpleAtod(*quota, &quota_us) &&
            absl::SimpleAtod(*period, &period_us)) {
          take(CpusFromQuota(quota_us, period_us));
        }
      }
      if (group.empty()) break;
      group.resize(group.rfind('/'));
    }
  }
  return tightest;
}

}  // namespace

std::optional<int> CpusFromCpuMax(const std::string& text) {
  const std::vector<std::string> fields = absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  double quota = 0;
  double period = 0;
  if (fields.size() != 2 || !absl::SimpleAtod(fields[0], &quota) || !absl::SimpleAtod(fields[1], &period)) {
    return std::nullopt;
  }
  return CpusFromQuota(quota, period);
}

int AvailableCpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  int cpus = 1;
  if (::sched_getaffinity(0, sizeof(mask), &mask) == 0) cpus = std::max(1, CPU_COUNT(&mask));
  if (std::optional<int> quota = CgroupCpus()) cpus = std::min(cpus, *quota);
  return cpus;
}

}  // namespace waystone
