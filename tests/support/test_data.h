// SPDX-License-Identifier: Apache-2.0
//
// Where tests find what is not in the repository: models, pictures and golden answers. WAYSTONE_TEST_DATA
// names the folder; the default is shared/data beside the checkout. A test that needs it and does not find it
// skips with a message that names what is missing.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace waystone {

inline std::string TestDataPath(const std::string& relative) {
  const char* chosen = std::getenv("WAYSTONE_TEST_DATA");
  const std::string root = chosen != nullptr ? chosen : WAYSTONE_SOURCE_DIR "/../shared/data";
  return root + "/" + relative;
}

// The bytes of a file, for tests; fails the test when it cannot be read.
inline std::string ReadTestFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << "cannot read " << path;
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

}  // namespace waystone

// Leaves the test with the reason when `relative` is not in the test data.
#define WAYSTONE_SKIP_WITHOUT_DATA(relative)                                  \
  if (!std::filesystem::exists(::waystone::TestDataPath(relative)))           \
  GTEST_SKIP() << "test data missing: " << ::waystone::TestDataPath(relative) \
               << " (set WAYSTONE_TEST_DATA to the folder that holds it)"
