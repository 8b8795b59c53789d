// SPDX-License-Identifier: Apache-2.0
#include "http/multipart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using testing::HasSubstr;

constexpr char kType[] = "multipart/form-data; boundary=XyZ";

std::string Part(const std::string& headers, const std::string& body) {
  return "--XyZ\r\n" + headers + "\r\n\r\n" + body + "\r\n";
}

void ExpectRefused(absl::string_view type, absl::string_view body, const std::string& text,
                   absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
  const absl::Status status = ParseMultipart(type, body).status();
  EXPECT_EQ(status.code(), code) << body;
  EXPECT_THAT(std::string(status.message()), HasSubstr(text)) << body;
}

TEST(MultipartTest, ReadsWhatABrowserSends) {
  const std::string picture("\xFF\xD8\r\n--Xy\r\n\0binary", 18);
  const std::string body =
      "a preamble to skip\r\n" +
      Part(
          "Content-Disposition: form-data; name=\"picture\"; filename=\"a \\\"b\\\" C:\\d.jpg\"\r\n"
          "content-type: image/jpeg",
          picture) +
      Part("Content-Disposition: form-data; name=threshold", "0.5") +
      Part("Content-Disposition:form-data;name=\"\"", "") + "--XyZ--\r\nan epilogue";
  const absl::StatusOr<std::vector<MultipartPart>> parts = ParseMultipart(kType, body);
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 3u);
  EXPECT_EQ((*parts)[0].name, "picture");
  EXPECT_EQ((*parts)[0].filename, "a \"b\" C:\\d.jpg");
  EXPECT_EQ((*parts)[0].content_type, "image/jpeg");
  EXPECT_EQ((*parts)[0].body, picture);
  EXPECT_GE((*parts)[0].body.data(), body.data());  // a view, not a copy
  EXPECT_LT((*parts)[0].body.data(), body.data() + body.size());
  EXPECT_EQ((*parts)[1].name, "threshold");
  EXPECT_EQ((*parts)[1].body, "0.5");
  EXPECT_EQ((*parts)[1].filename, "");
  EXPECT_EQ((*parts)[2].name, "");
  EXPECT_EQ((*parts)[2].body, "");
}

TEST(MultipartTest, ReadsQuotedBoundariesUpToTheirLimit) {
  for (const size_t length : {size_t{1}, size_t{70}}) {
    const std::string boundary(length, '=');
    const std::string body =
        "--" + boundary + "  \r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--" + boundary + "--";
    const auto parts =
        ParseMultipart("Multipart/Form-Data; charset=utf-8; Boundary=\"" + boundary + "\"", body);
    ASSERT_TRUE(parts.ok()) << parts.status();
    EXPECT_EQ(parts->at(0).body, "x");
  }
  ExpectRefused("multipart/form-data; boundary=" + std::string(71, 'b'), "", "the limit is 70");
}

TEST(MultipartTest, AFormWithoutPartsIsEmpty) { EXPECT_TRUE(ParseMultipart(kType, "--XyZ--\r\n")->empty()); }

TEST(MultipartTest, RefusesAContentTypeWithoutAUsableBoundary) {
  ExpectRefused("", "", "not multipart/form-data");
  ExpectRefused("multipart/mixed; boundary=a", "", "not multipart/form-data");
  ExpectRefused("multipart/form-data", "", "no boundary");
  ExpectRefused("multipart/form-data; boundary=", "", "no boundary");
  ExpectRefused("multipart/form-data; boundary=\"a", "", "does not end");
  ExpectRefused("multipart/form-data; boundary", "", "no value");
  ExpectRefused("multipart/form-data; boundary=\"a;b\"", "", "not allowed");
  ExpectRefused("multipart/form-data; boundary=\"a \"", "", "space");
}

TEST(MultipartTest, RefusesBodiesThatAreBroken) {
  const std::string good = "Content-Disposition: form-data; name=\"a\"";
  ExpectRefused(kType, "", "does not occur");
  ExpectRefused(kType, "--Xyz\r\n", "does not occur");
  ExpectRefused(kType, "--XyZ\r\n" + good + "\r\n\r\nnever ended", "part 1 is not ended");
  ExpectRefused(kType, Part(good, "x") + "--XyZnonsense", "neither a line nor --");
  ExpectRefused(kType, "--XyZ", "neither a line nor --");
  ExpectRefused(kType, Part(good, "x") + Part("X: y", "x") + "--XyZ--",
                "part 2: it has no Content-Disposition");
  ExpectRefused(kType, "--XyZ\r\n" + good + "\r\n--XyZ--", "part 1: its headers do not end");
  ExpectRefused(kType, Part("no colon here", "x") + "--XyZ--", "has no name");
  ExpectRefused(kType, Part("Content-Disposition: attachment; name=a", "x") + "--XyZ--", "not form-data");
  ExpectRefused(kType, Part("Content-Disposition: form-data", "x") + "--XyZ--", "has no name");
  ExpectRefused(kType, Part("Content-Disposition: form-data; name=\"a", "x") + "--XyZ--", "does not end");
  ExpectRefused(kType, Part("Content-Disposition: form-data; name=\"\xFF\"", "x") + "--XyZ--", "not UTF-8");
  ExpectRefused(kType, Part("Content-Disposition: form-data; name=\"a\nb\"", "x") + "--XyZ--", "not UTF-8");
  ExpectRefused(kType, Part(good + "\r\n" + good, "x") + "--XyZ--", "two Content-Dispositions");
  ExpectRefused(kType, Part(good + "\r\nContent-Transfer-Encoding: base64", "x") + "--XyZ--", "RFC 7578");
}

TEST(MultipartTest, PartsAtTheLimitAndPastIt) {
  std::string body;
  for (int i = 0; i < 3; ++i) body += Part("Content-Disposition: form-data; name=\"a\"", "x");
  body += "--XyZ--";
  EXPECT_EQ(ParseMultipart(kType, body, {.max_parts = 3})->size(), 3u);
  EXPECT_EQ(ParseMultipart(kType, body, {.max_parts = 2}).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(MultipartTest, PartHeadersAtTheLimitAndPastIt) {
  const std::string disposition = "Content-Disposition: form-data; name=\"a\"";
  const std::string body = Part(disposition + "\r\nX: " + std::string(100, 'x'), "body") + "--XyZ--";
  const size_t header_bytes = disposition.size() + 2 + 3 + 100 + 2;
  EXPECT_TRUE(ParseMultipart(kType, body, {.max_part_header_bytes = header_bytes}).ok());
  EXPECT_EQ(ParseMultipart(kType, body, {.max_part_header_bytes = header_bytes - 1}).status().code(),
            absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace waystone
