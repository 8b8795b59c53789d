// SPDX-License-Identifier: Apache-2.0
#include "pipeline/answer_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using ::testing::HasSubstr;

class AnswerFileTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  void Write(const std::string& content) const { std::ofstream(path_, std::ios::binary) << content; }
  std::string Content() const {
    std::stringstream content;
    content << std::ifstream(path_, std::ios::binary).rdbuf();
    return content.str();
  }
  const std::string path_ = testing::TempDir() + "answer_file_test_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl";
};

TEST_F(AnswerFileTest, AppendsLinesAndKnowsThemAgain) {
  {
    const auto file = AnswerFile::Open(path_, false);
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_TRUE((*file)->Append(R"({"source":"a.jpg","results":[]})").ok());
    ASSERT_TRUE((*file)->Append(R"({"source":"b.jpg","error":"broken"})").ok());
    EXPECT_FALSE((*file)->Has("a.jpg")) << "what this run wrote is not what it found";
  }
  const auto again = AnswerFile::Open(path_, true);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE((*again)->Has("a.jpg"));
  EXPECT_FALSE((*again)->Has("b.jpg")) << "a failure is tried again";
  ASSERT_TRUE((*again)->Append("{}").ok());
  EXPECT_EQ(Content(),
            "{\"source\":\"a.jpg\",\"results\":[]}\n{\"source\":\"b.jpg\",\"error\":\"broken\"}\n{}\n");
}

TEST_F(AnswerFileTest, DoesNotOverwriteAnswers) {
  Write("{\"source\":\"a.jpg\"}\n");
  EXPECT_EQ(AnswerFile::Open(path_, false).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Content(), "{\"source\":\"a.jpg\"}\n");
}

TEST_F(AnswerFileTest, CutsOffWhatAKilledRunLeftHalfWritten) {
  Write("{\"source\":\"a.jpg\"}\n{\"source\":\"b.jpg\",\"resu");
  const auto file = AnswerFile::Open(path_, true);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->size(), 1u);
  ASSERT_TRUE((*file)->Append("{\"source\":\"b.jpg\"}").ok());
  EXPECT_EQ(Content(), "{\"source\":\"a.jpg\"}\n{\"source\":\"b.jpg\"}\n");
}

TEST_F(AnswerFileTest, RefusesAFileOfSomethingElse) {
  Write("{\"source\":\"a.jpg\"}\nhello\n");
  const absl::Status status = AnswerFile::Open(path_, true).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(":2: is no answer of predict"));
  EXPECT_EQ(Content(), "{\"source\":\"a.jpg\"}\nhello\n") << "and leaves it as it is";
}

TEST_F(AnswerFileTest, KeepsASecondRunOut) {
  const auto first = AnswerFile::Open(path_, false);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(AnswerFile::Open(path_, true).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(AnswerFileTest, SaysWhyAFileCannotBeWritten) {
  EXPECT_EQ(AnswerFile::Open("/nonexistent/answers.jsonl", false).status().code(),
            absl::StatusCode::kNotFound);
  const auto full = AnswerFile::Open("/dev/full", true);
  ASSERT_TRUE(full.ok()) << full.status();
  EXPECT_EQ((*full)->Append("{}").code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace waystone
