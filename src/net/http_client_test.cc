// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http_server_fixture.h"

namespace waystone {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class HttpClientTest : public HttpServerFixture {
 protected:
  absl::StatusOr<HttpClientResponse> Get(Duration timeout, uint64_t max_bytes = kDefaultMaxResponseBytes) {
    return HttpFetch("127.0.0.1", port(), "GET", "/", {}, "", timeout, max_bytes);
  }
};

TEST_F(HttpClientTest, SendsHeadersAndBodyAndReadsTheAnswer) {
  Serve({}, [](HttpRequest request, HttpResponder respond) {
    HttpResponse response = TextResponse(absl::StrCat(request.header("x-a"), request.body));
    response.status = 418;
    response.headers = {{"X-B", "b"}};
    respond(std::move(response));
  });
  const absl::StatusOr<HttpClientResponse> response =
      HttpFetch("localhost", port(), "POST", "/x", {{"X-A", "a"}}, "body", seconds(60));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 418);
  EXPECT_EQ(response->body, "abody");
  EXPECT_EQ(response->header("x-b"), "b");
  EXPECT_EQ(response->header("none"), "");
}

TEST_F(HttpClientTest, ReadsTheAnswerToHead) {
  Serve({}, Echo);
  const absl::StatusOr<HttpClientResponse> response = Fetch("HEAD", "/x");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->header("content-length"), "9");
  EXPECT_EQ(response->body, "");
}

TEST_F(HttpClientTest, GivesUpAfterTheTimeLimit) {
  Serve({}, requests_.handler());
  const absl::Status status = Get(milliseconds(50)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("127.0.0.1"));
}

TEST_F(HttpClientTest, TheAnswersBodyAtTheLimitAndPastIt) {
  Serve({}, [](HttpRequest, HttpResponder respond) { respond(TextResponse(std::string(1000, 'x'))); });
  EXPECT_EQ(Get(seconds(60), 1000)->body.size(), 1000u);
  EXPECT_EQ(Get(seconds(60), 999).status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(HttpClientTest, ARefusalOfALongBodyIsReadAlthoughItWasNotSentWhole) {
  Serve({.max_body_bytes = 1000}, Echo);
  const absl::StatusOr<HttpClientResponse> response = Fetch("POST", "/", std::string(size_t{8} << 20, 'b'));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 413);
}

TEST_F(HttpClientTest, AServerThatIsNotThereIsUnavailable) {
  Serve({}, Echo);
  const uint16_t free_port = port();
  server_.reset();
  const absl::StatusOr<HttpClientResponse> response =
      HttpFetch("127.0.0.1", free_port, "GET", "/", {}, "", seconds(60));
  EXPECT_EQ(response.status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(HttpClientTest, RefusesARequestThatWouldBreakItsLine) {
  EXPECT_EQ(HttpFetch("127.0.0.1", 1, "GET", "/a b", {}, "", seconds(1)).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(HttpFetch("127.0.0.1", 1, "GET", "/", {{"X", "a\r\nY: b"}}, "", seconds(1)).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(HttpFetch("127.0.0.1", 1, "G T", "/", {}, "", seconds(1)).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace waystone
