// SPDX-License-Identifier: Apache-2.0
#include "net/http_response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/response_queue.h"

namespace waystone {
namespace {

TEST(HttpResponseTest, WritesDatesAsTheStandardDoes) {
  EXPECT_EQ(HttpDate(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(HttpDate(0), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(HttpResponseTest, AnErrorsTextIsAlwaysGoodJson) {
  EXPECT_EQ(ServerErrorResponse(400, "a \"b\" \\ \n").body, "{\"error\":\"a \\\"b\\\" \\\\ \\u000a\"}");
  EXPECT_EQ(ServerErrorResponse(400, "\xFF").body, "{\"error\":\"the request could not be served\"}");
}

TEST(HttpResponseTest, WritesTheWholeHead) {
  HttpResponse response;
  response.status = 429;
  response.body = "{}";
  response.headers = {{"Retry-After", "2"}};
  EXPECT_EQ(FormatResponseHead(response, ConnectionOption::kClose, 784111777),
            "HTTP/1.1 429 Too Many Requests\r\nServer: waystone\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "X-Content-Type-Options: nosniff\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            "Retry-After: 2\r\nConnection: close\r\n\r\n");
}

TEST(ResponseQueueTest, GivesAnswersInTheOrderOfTheirRequestsAndEachOnce) {
  ByteBudget budget(100);
  ResponseQueue queue;
  std::vector<uint64_t> ids;
  for (int i = 0; i < 3; ++i) {
    ByteBudget::Share share(budget);
    ASSERT_TRUE(share.Add(10));
    ids.push_back(queue.Push({.body = std::move(share), .response = {}}));
  }
  EXPECT_EQ(queue.body_bytes(), 30u);
  EXPECT_TRUE(queue.Put(ids[1], {.status = 201, .body = "", .headers = {}}));
  EXPECT_FALSE(queue.Put(ids[1], {.status = 299, .body = "", .headers = {}}));
  EXPECT_FALSE(queue.front_is_ready());
  EXPECT_TRUE(queue.Put(ids[0], {.status = 200, .body = "", .headers = {}}));
  EXPECT_EQ(queue.Pop().response->status, 200);
  EXPECT_FALSE(queue.Put(ids[0], {.status = 299, .body = "", .headers = {}}));
  EXPECT_EQ(queue.Pop().response->status, 201);
  EXPECT_EQ(budget.taken(), 10u);
  queue.Clear();
  EXPECT_EQ(budget.taken(), 0u);
  EXPECT_FALSE(queue.Put(ids[2], {.status = 299, .body = "", .headers = {}}));
  EXPECT_FALSE(queue.Put(ids[2] + 1, {.status = 299, .body = "", .headers = {}}));
}

}  // namespace
}  // namespace waystone
