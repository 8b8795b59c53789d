// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace waystone {
namespace {

class FileTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  const std::string folder_ =
      testing::TempDir() + "file_test_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(FileTest, ReadsBackWhatWasWrittenUpToTheLimit) {
  const std::string content("a\0b", 3);
  ASSERT_TRUE(WriteFileAtomically(Path("x"), content).ok());
  EXPECT_EQ(ReadFile(Path("x"), 3).value(), content);
  EXPECT_EQ(ReadFile(Path("x"), 2).status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(FileTest, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(ReadFile(Path("missing"), 9).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadFile(folder_, 9).status().code(), absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(ReadFile(Path("pipe"), 9).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(FileTest, AFailedWriteLeavesTheOldFileAndNoRest) {
  ASSERT_TRUE(WriteFileAtomically(Path("kept"), "old").ok());
  EXPECT_FALSE(WriteFileAtomically(Path("no_such_folder/kept"), "new").ok());
  EXPECT_EQ(ReadFile(Path("kept"), 9).value(), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

// The examples of FIPS 180-4.
TEST(Sha256Test, AgreesWithThePublishedExamples) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace waystone
