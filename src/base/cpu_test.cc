// SPDX-License-Identifier: Apache-2.0
#include "base/cpu.h"

#include <sched.h>

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(CpuTest, ReadsTheQuotaOfCgroupV2) {
  EXPECT_EQ(CpusFromCpuMax("200000 100000\n"), 2);
  EXPECT_EQ(CpusFromCpuMax("150000 100000"), 2);
  EXPECT_EQ(CpusFromCpuMax("5000 100000"), 1);
  EXPECT_EQ(CpusFromCpuMax("max 100000\n"), std::nullopt);
  EXPECT_EQ(CpusFromCpuMax(""), std::nullopt);
  EXPECT_EQ(CpusFromCpuMax("1 0"), std::nullopt);
}

TEST(CpuTest, HonoursTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &before)) {
      CPU_SET(cpu, &one);
      break;
    }
  }
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(AvailableCpus(), 1);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(before), &before), 0);
  EXPECT_GE(AvailableCpus(), 1);
}

}  // namespace
}  // namespace waystone
