// SPDX-License-Identifier: Apache-2.0
#include "base/relative_path.h"

#include <string>

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(StaysInFolderTest, AcceptsFilesInAndBelowTheFolder) {
  for (const char* path : {"a", "model.onnx", "1/model.onnx", "..a", "a..b/c", "mit leer/ü.jpg"}) {
    EXPECT_TRUE(StaysInFolder(path)) << path;
  }
}

TEST(StaysInFolderTest, RefusesWaysOut) {
  for (const char* path :
       {"", "/etc/passwd", "..", "../a", "a/../b", "a/..", "./a", "a//b", "a/", "a\\b", "a\nb", "a\x7F"}) {
    EXPECT_FALSE(StaysInFolder(path)) << path;
  }
  EXPECT_FALSE(StaysInFolder(absl::string_view("a\0b", 3)));
}

TEST(StaysInFolderTest, HoldsTheLimitOfLength) {
  EXPECT_TRUE(StaysInFolder(std::string(1024, 'a')));
  EXPECT_FALSE(StaysInFolder(std::string(1025, 'a')));
}

}  // namespace
}  // namespace waystone
