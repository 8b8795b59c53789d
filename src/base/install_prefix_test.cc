// SPDX-License-Identifier: Apache-2.0
#include "base/install_prefix.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(InstallPrefixTest, IsTheFolderAboveTheProgramsOwn) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(InstallPrefix(), program.parent_path().parent_path().string());
  EXPECT_TRUE(std::filesystem::is_directory(InstallPrefix()));
}

}  // namespace
}  // namespace waystone
