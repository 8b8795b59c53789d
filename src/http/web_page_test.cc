// SPDX-License-Identifier: Apache-2.0
#include "http/web_page.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WebPageTest : public testing::Test {
 protected:
  void SetUp() override {
    Write("index.html", "<!doctype html>");
    Write("assets/app-4fK2.js", "run()");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& name, const std::string& content) const {
    const std::filesystem::path path = root_ + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
  }

  static HttpResponse Get(const WebPage& page, const std::string& path,
                          const std::string& if_none_match = "") {
    HttpRequest request;
    request.method = "GET";
    request.path = path;
    if (!if_none_match.empty()) request.headers.emplace_back("if-none-match", if_none_match);
    return page.Answer(request);
  }

  static std::string Header(const HttpResponse& response, const std::string& name) {
    const auto found = std::find_if(response.headers.begin(), response.headers.end(),
                                    [&name](const auto& header) { return header.first == name; });
    return found == response.headers.end() ? "" : found->second;
  }

  const std::string root_ = testing::TempDir() + "waystone_web_page_test_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(WebPageTest, ServesTheIndexAtTheRootAndTheOtherFilesByTheirPath) {
  const absl::StatusOr<WebPage> page = WebPage::Load(root_);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(page->paths(), ElementsAre("/", "/assets/app-4fK2.js"));
  const HttpResponse index = Get(*page, "/");
  EXPECT_EQ(index.status, 200);
  EXPECT_EQ(index.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(index.body, "<!doctype html>");
  const HttpResponse script = Get(*page, "/assets/app-4fK2.js");
  EXPECT_EQ(script.content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(script.body, "run()");
}

TEST_F(WebPageTest, TypesGoByTheExtensionAndTheUnknownIsJustBytes) {
  Write("a.SVG", "<svg/>");
  Write("b.xyz", "?");
  Write("c", "?");
  const WebPage page = WebPage::Load(root_).value();
  EXPECT_EQ(Get(page, "/a.SVG").content_type, "image/svg+xml");
  EXPECT_EQ(Get(page, "/b.xyz").content_type, "application/octet-stream");
  EXPECT_EQ(Get(page, "/c").content_type, "application/octet-stream");
}

TEST_F(WebPageTest, OnlyFilesWithAHashInTheirNameAreKeptForGood) {
  const WebPage page = WebPage::Load(root_).value();
  EXPECT_EQ(Header(Get(page, "/"), "Cache-Control"), "no-cache");
  EXPECT_EQ(Header(Get(page, "/assets/app-4fK2.js"), "Cache-Control"), "public, max-age=31536000, immutable");
}

TEST_F(WebPageTest, AKnownTagIsAnsweredWithoutTheContent) {
  const WebPage page = WebPage::Load(root_).value();
  const std::string tag = Header(Get(page, "/"), "ETag");
  ASSERT_GT(tag.size(), 2u);
  for (const std::string& known : {tag, "W/" + tag, "\"other\", " + tag, std::string("*")}) {
    const HttpResponse response = Get(page, "/", known);
    EXPECT_EQ(response.status, 304) << known;
    EXPECT_THAT(response.body, IsEmpty());
    EXPECT_EQ(Header(response, "ETag"), tag);
  }
  for (const std::string& other :
       {std::string("\"other\""), tag.substr(1, tag.size() - 2), std::string(",")}) {
    EXPECT_EQ(Get(page, "/", other).status, 200) << other;
  }
}

TEST_F(WebPageTest, TheTagFollowsTheContent) {
  const std::string before = Header(Get(WebPage::Load(root_).value(), "/"), "ETag");
  EXPECT_EQ(Header(Get(WebPage::Load(root_).value(), "/"), "ETag"), before);
  Write("index.html", "<!doctype html> ");
  EXPECT_NE(Header(Get(WebPage::Load(root_).value(), "/"), "ETag"), before);
}

TEST_F(WebPageTest, ThePolicyAllowsNothingFromElsewhereAndNothingInline) {
  const std::string policy = Header(Get(WebPage::Load(root_).value(), "/"), "Content-Security-Policy");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("script-src 'self';"));
  EXPECT_THAT(policy, HasSubstr("style-src 'self';"));
  EXPECT_THAT(policy, testing::Not(HasSubstr("unsafe")));
}

TEST_F(WebPageTest, FilesAreThoseOfTheStart) {
  const WebPage page = WebPage::Load(root_).value();
  std::filesystem::remove_all(root_);
  EXPECT_EQ(Get(page, "/").body, "<!doctype html>");
}

TEST_F(WebPageTest, HiddenFilesAndFoldersAreNotServed) {
  Write(".secret", "x");
  Write(".git/config", "x");
  EXPECT_THAT(WebPage::Load(root_)->paths(), ElementsAre("/", "/assets/app-4fK2.js"));
}

TEST_F(WebPageTest, ALinkIsRefusedAndNamed) {
  std::filesystem::create_symlink("/etc/passwd", root_ + "/passwd");
  const absl::Status status = WebPage::Load(root_).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("/passwd"));
}

TEST_F(WebPageTest, AFolderWithoutAnIndexOrNoFolderIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(WebPage::Load(root_ + "/assets").status()));
  EXPECT_TRUE(absl::IsNotFound(WebPage::Load(root_ + "/nothing").status()));
  EXPECT_TRUE(absl::IsNotFound(WebPage::Load(root_ + "/index.html").status()));
}

TEST_F(WebPageTest, TheLimitsAreInclusive) {
  EXPECT_TRUE(WebPage::Load(root_, {.max_files = 2}).ok());
  EXPECT_TRUE(absl::IsOutOfRange(WebPage::Load(root_, {.max_files = 1}).status()));
  const size_t bytes = std::string("<!doctype html>run()").size();
  EXPECT_TRUE(WebPage::Load(root_, {.max_bytes = bytes}).ok());
  EXPECT_TRUE(absl::IsOutOfRange(WebPage::Load(root_, {.max_bytes = bytes - 1}).status()));
}

}  // namespace
}  // namespace waystone
