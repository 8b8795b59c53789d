// SPDX-License-Identifier: Apache-2.0
#include "net/http_request_parser.h"

#include <gtest/gtest.h>

namespace waystone {
namespace {

// Feeds `bytes` in pieces of `piece`, giving again what was left over.
size_t FeedInPieces(HttpRequestParser& parser, const std::string& bytes, size_t piece) {
  std::string waiting;
  size_t used = 0;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    waiting += bytes.substr(at, piece);
    const size_t taken = parser.Feed(waiting);
    used += taken;
    waiting.erase(0, taken);
    if (parser.is_complete() || parser.error()) break;
  }
  return used;
}

constexpr char kChunked[] =
    "\r\nPUT /a?b=c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
    "3;name=value;flag\r\nabc\r\n00a\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";

TEST(HttpRequestParserTest, EveryDivisionOfTheBytesGivesTheSameRequest) {
  const HttpServerOptions options;
  const std::string next = "GET /next";
  const std::string request = kChunked;
  for (size_t piece = 1; piece <= request.size(); ++piece) {
    ByteBudget budget(1000);
    HttpRequestParser parser(options, budget);
    EXPECT_EQ(FeedInPieces(parser, request + next, piece), request.size());
    ASSERT_TRUE(parser.is_complete()) << "pieces of " << piece;
    EXPECT_EQ(budget.taken(), 13u);
    const HttpRequest parsed = parser.TakeRequest();
    EXPECT_EQ(parsed.method, "PUT");
    EXPECT_EQ(parsed.path, "/a");
    EXPECT_EQ(parsed.body, "abc0123456789");
    ASSERT_EQ(parsed.headers.size(), 2u);
    EXPECT_EQ(parsed.headers[1].first, "transfer-encoding");
  }
}

TEST(HttpRequestParserTest, EveryDivisionOfABadRequestGivesTheSameRefusal) {
  HttpServerOptions options;
  options.max_header_bytes = 200;
  const std::vector<std::pair<std::string, int>> cases = {
      {"GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(300, 'x') + "\r\n\r\n", 431},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(300, 'x') + "\r\n",
       431},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nT: " + std::string(300, 'x') +
           "\r\n\r\n",
       431},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabcdefgh\r\n", 400},
      {"GET / HTTP/3.0\r\nHost: h\r\n\r\n", 505}};
  for (const auto& [request, status] : cases) {
    for (const size_t piece : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{64}, request.size()}) {
      ByteBudget budget(1000);
      HttpRequestParser parser(options, budget);
      FeedInPieces(parser, request, piece);
      ASSERT_TRUE(parser.error().has_value()) << request << " in pieces of " << piece;
      EXPECT_EQ(parser.error()->status, status) << request << " in pieces of " << piece;
      EXPECT_FALSE(parser.is_complete());
    }
  }
}

TEST(HttpRequestParserTest, ADeclaredBodyCostsNothingUntilItArrives) {
  const HttpServerOptions options;
  ByteBudget budget(options.max_body_bytes_in_flight);
  HttpRequestParser parser(options, budget);
  parser.Feed("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 67108864\r\n\r\nabc");
  EXPECT_FALSE(parser.error().has_value());
  EXPECT_EQ(budget.taken(), 3u);
  EXPECT_LT(parser.TakeRequest().body.capacity(), size_t{1} << 20);
}

TEST(HttpRequestParserTest, TheBudgetIsGivenBackWithTheShare) {
  const HttpServerOptions options;
  ByteBudget budget(10);
  {
    HttpRequestParser parser(options, budget);
    parser.Feed("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n0123456789");
    ASSERT_TRUE(parser.is_complete());
    const ByteBudget::Share share = parser.TakeBodyShare();
    EXPECT_EQ(share.bytes(), 10u);
    EXPECT_EQ(budget.taken(), 10u);
  }
  EXPECT_EQ(budget.taken(), 0u);
}

}  // namespace
}  // namespace waystone
