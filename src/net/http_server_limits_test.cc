// SPDX-License-Identifier: Apache-2.0
//
// Each limit of the server at the limit and one past it, and what hostile clients send. After each refusal
// the process is alive and serves the next request.
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "net/http_server_fixture.h"

namespace waystone {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class HttpServerLimitsTest : public HttpServerFixture {
 protected:
  // Sends `request`; expects the status, an error text with `text`, and that the server closes.
  void ExpectRefused(const std::string& request, int status, const std::string& text) {
    SCOPED_TRACE(request.substr(0, 200));
    const uint64_t bad_before = server_->stats().bad_requests;
    RawClient client(port());
    client.Send(request);
    RawResponse response = client.Read();
    EXPECT_EQ(response.status, status);
    EXPECT_THAT(response.body, testing::StartsWith("{\"error\":\""));
    EXPECT_THAT(response.body, HasSubstr(text));
    EXPECT_EQ(response.headers["connection"], "close");
    client.FinishSending();
    EXPECT_EQ(client.ReadToEnd(), "");
    EXPECT_EQ(server_->stats().bad_requests, bad_before + 1);
    ExpectStillServes();
  }
  RawResponse Ask(const std::string& request) { return RawClient(port()).Exchange(request); }
};

std::string HeadOfBytes(size_t bytes) {
  std::string head = "GET / HTTP/1.1\r\nHost: h\r\nX: ";
  head.append(bytes - head.size() - 4, 'x');
  return head + "\r\n\r\n";
}

std::string RequestWithFields(size_t count) {
  std::string request = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (size_t i = 1; i < count; ++i) absl::StrAppend(&request, "X-", i, ": v\r\n");
  return request + "\r\n";
}

std::string Post(size_t body_bytes) {
  return absl::StrCat("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: ", body_bytes, "\r\n\r\n",
                      std::string(body_bytes, 'b'));
}

std::string Chunks(size_t count, const std::string& chunk = "1\r\nx\r\n") {
  std::string request = "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (size_t i = 0; i < count; ++i) request += chunk;
  return request + "0\r\n\r\n";
}

TEST_F(HttpServerLimitsTest, HeaderBytesAtTheLimitAndPastIt) {
  Serve({.max_header_bytes = 1024}, Echo);
  EXPECT_EQ(Ask(HeadOfBytes(1024)).status, 200);
  ExpectRefused(HeadOfBytes(1025), 431, "limit of 1024 bytes");
  ExpectRefused("GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n", 431,
                "limit of 1024 bytes");
  // Never ended: refused when the limit is reached, not when the time is over.
  ExpectRefused("GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(2000, 'x'), 431, "limit of 1024 bytes");
}

TEST_F(HttpServerLimitsTest, HeaderCountAtTheLimitAndPastIt) {
  Serve({.max_header_count = 10}, Echo);
  EXPECT_EQ(Ask(RequestWithFields(10)).status, 200);
  ExpectRefused(RequestWithFields(11), 431, "limit of 10");
}

// S50: the refusal names the limit.
TEST_F(HttpServerLimitsTest, S50BodyAtTheLimitAndPastIt) {
  Serve({.max_body_bytes = 1000}, Echo);
  EXPECT_EQ(Ask(Post(1000)).body, "POST /p 1000");
  ExpectRefused(Post(1001), 413, "the body of 1001 bytes exceeds the limit of 1000 bytes");
  // Refused from the declared length alone.
  ExpectRefused("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551615\r\n\r\n", 413,
                "limit of 1000 bytes");
}

TEST_F(HttpServerLimitsTest, ChunkedBodyAtTheLimitAndPastIt) {
  Serve({.max_body_bytes = 1000}, Echo);
  EXPECT_EQ(Ask(Chunks(1000)).body, "POST /p 1000");
  ExpectRefused(Chunks(1001), 413, "limit of 1000 bytes");
  ExpectRefused(Chunks(1, "ffffffffffffffff\r\n"), 413, "limit of 1000 bytes");
}

TEST_F(HttpServerLimitsTest, ChunkCountAtTheLimitAndPastIt) {
  Serve({.max_chunks = 50}, Echo);
  EXPECT_EQ(Ask(Chunks(50)).body, "POST /p 50");
  ExpectRefused(Chunks(51), 413, "limit of 50");
}

// CVE-2025-23310 and 23311: about 3 MB of tiny chunks, on any route, with and without a cap on their number.
TEST_F(HttpServerLimitsTest, Cve202523310ChunkFloodIsRefused) {
  Serve({}, Echo);
  const std::string flood = Chunks(500'000);
  ASSERT_GE(flood.size(), size_t{3'000'000});
  RawClient client(port());
  client.Send(flood);
  const RawResponse response = client.Read();
  EXPECT_EQ(response.status, 413);
  EXPECT_THAT(response.body, HasSubstr("limit of 100000"));
  ExpectStillServes();
}

TEST_F(HttpServerLimitsTest, Cve202523310ChunkFloodWithinTheCapIsServed) {
  Serve({.max_chunks = 1'000'000}, Echo);
  EXPECT_EQ(Ask(Chunks(500'000)).body, "POST /p 500000");
}

TEST_F(HttpServerLimitsTest, ExpectContinueOfATooLargeBodyIsRefusedAtOnce) {
  Serve({.max_body_bytes = 1000}, Echo);
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: ";
  ExpectRefused(head + "1001\r\n\r\n", 413, "limit of 1000 bytes");
  RawClient client(port());
  EXPECT_EQ(client.Exchange(head + "1000\r\n\r\n").status, 100);
}

TEST_F(HttpServerLimitsTest, BodiesInFlightAtTheLimitAndPastIt) {
  Serve({.max_body_bytes_in_flight = 3000}, requests_.handler());
  RawClient first(port());
  first.Send(Post(2000));
  HeldRequests::Held held = requests_.Take();
  RawClient second(port());
  const RawResponse refused = second.Exchange(Post(1001));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_THAT(refused.body, HasSubstr("limit of 3000 bytes"));
  RawClient third(port());
  third.Send(Post(1000));
  requests_.Take().respond(TextResponse("fits"));
  EXPECT_EQ(third.Read().body, "fits");
  held.respond(TextResponse("done"));
  EXPECT_EQ(first.Read().body, "done");
  // What was held is given back with the answer.
  third.Send(Post(3000));
  requests_.Take().respond(TextResponse("all of it"));
  EXPECT_EQ(third.Read().body, "all of it");
}

TEST_F(HttpServerLimitsTest, MalformedRequestsAreRefused) {
  Serve({}, Echo);
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\n";
  ExpectRefused(head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", 400, "Content-Length");
  ExpectRefused(head + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc", 400,
                "Transfer-Encoding");
  ExpectRefused(head + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400,
                "more than one Content-Length");
  ExpectRefused(head + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400, "Content-Length");
  ExpectRefused(head + "Content-Length: 3, 3\r\n\r\nabc", 400, "Content-Length");
  ExpectRefused(head + "Content-Length: -1\r\n\r\n", 400, "Content-Length");
  ExpectRefused(head + "Content-Length: +3\r\n\r\nabc", 400, "Content-Length");
  ExpectRefused(head + "Content-Length: 0x3\r\n\r\nabc", 400, "Content-Length");
  ExpectRefused(head + "Content-Length: 18446744073709551616\r\n\r\n", 400, "Content-Length");
  ExpectRefused(head + "Transfer-Encoding: gzip\r\n\r\n", 501, "chunked");
  ExpectRefused(head + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501, "chunked");
  ExpectRefused(head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
                "Transfer-Encoding");
  ExpectRefused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "HTTP/1.0");
  ExpectRefused(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n", 400, "chunked body");
  ExpectRefused(head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n", 400, "chunked body");
  ExpectRefused(head + "Expect: the-impossible\r\n\r\n", 417, "100-continue");
  ExpectRefused(head + "Host: again\r\n\r\n", 400, "more than one Host");
  ExpectRefused(head + "Bad Field: x\r\n\r\n", 400, "header field");
  ExpectRefused(head + "X : x\r\n\r\n", 400, "header field");
  ExpectRefused(head + std::string("X: a\0b\r\n\r\n", 10), 400, "header field");
  ExpectRefused("GET / HTTP/1.1\r\n\r\n", 400, "Host");
}

TEST_F(HttpServerLimitsTest, BadRequestLinesAreRefused) {
  Serve({}, Echo);
  ExpectRefused("GET\r\n\r\n", 400, "request line");
  ExpectRefused("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400, "request line");
  ExpectRefused("G@T / HTTP/1.1\r\nHost: h\r\n\r\n", 400, "request line");
  ExpectRefused("GET / HTTX/1.1\r\nHost: h\r\n\r\n", 400, "request line");
  ExpectRefused("GET /\r\nHost: h\r\n\r\n", 400, "request line");
  ExpectRefused("\x16\x03\x01\x02\x01\x01\xfc\x03\x03 a TLS client hello\r\n\r\n", 400, "request line");
  ExpectRefused("GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505, "1.1");
  ExpectRefused("GET / HTTP/0.9\r\n\r\n", 505, "1.1");
  ExpectRefused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "1.1");
  ExpectRefused("CONNECT host:443 HTTP/1.1\r\nHost: h\r\n\r\n", 501, "CONNECT");
  ExpectRefused("GET /a/../b HTTP/1.1\r\nHost: h\r\n\r\n", 400, "dot segment");
  ExpectRefused("GET /%2e%2e/b HTTP/1.1\r\nHost: h\r\n\r\n", 400, "dot segment");
  ExpectRefused("GET /a%00b HTTP/1.1\r\nHost: h\r\n\r\n", 400, "control character");
  ExpectRefused("GET /a%zz HTTP/1.1\r\nHost: h\r\n\r\n", 400, "hex digits");
  ExpectRefused("GET * HTTP/1.1\r\nHost: h\r\n\r\n", 400, "request target");
}

TEST_F(HttpServerLimitsTest, ARefusalWaitsForTheAnswersBeforeIt) {
  Serve({}, requests_.handler());
  RawClient client(port());
  client.Send("GET /good HTTP/1.1\r\nHost: h\r\n\r\nBAD\r\n\r\n");
  HeldRequests::Held held = requests_.Take();
  ASSERT_TRUE(Eventually([&] { return server_->stats().bad_requests == 1; }));
  held.respond(TextResponse("good"));
  EXPECT_EQ(client.Read().body, "good");
  EXPECT_EQ(client.Read().status, 400);
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST_F(HttpServerLimitsTest, ARefusedHeadRequestGetsNoBody) {
  Serve({}, Echo);
  RawClient client(port());
  client.Send("HEAD /.. HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.Read(/*to_head=*/true).status, 400);
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST_F(HttpServerLimitsTest, TheAnswerReachesAClientThatIsStillSending) {
  Serve({.max_body_bytes = 1000}, Echo);
  RawClient client(port());
  client.Send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 4000000\r\n\r\n");
  client.Send(std::string(4'000'000, 'b'));
  EXPECT_EQ(client.Read().status, 413);
}

TEST_F(HttpServerLimitsTest, ASlowHeadIsTold408AndClosed) {
  Serve({.header_timeout = milliseconds(50)}, Echo);
  RawClient client(port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nX-Slow");
  const RawResponse response = client.Read();
  EXPECT_EQ(response.status, 408);
  EXPECT_THAT(response.body, HasSubstr("limit of 50 ms"));
  EXPECT_EQ(client.ReadToEnd(), "");
  EXPECT_EQ(server_->stats().bad_requests, 1u);
}

// Slowloris: every byte in time, the whole never.
TEST_F(HttpServerLimitsTest, AHeadThatDripsIsClosedByTheTimeOfTheWhole) {
  Serve({.header_timeout = milliseconds(100)}, Echo);
  RawClient client(port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n");
  std::thread drip([&client] {
    while (client.Send("X: y\r\n")) std::this_thread::yield();
  });
  EXPECT_TRUE(Eventually([&] { return server_->stats().connections_open == 0; }));
  drip.join();
  EXPECT_EQ(server_->stats().bad_requests, 1u);
}

TEST_F(HttpServerLimitsTest, ASlowBodyIsTold408AndClosed) {
  Serve({.body_timeout = milliseconds(50)}, Echo);
  RawClient client(port());
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc");
  const RawResponse response = client.Read();
  EXPECT_EQ(response.status, 408);
  EXPECT_THAT(response.body, HasSubstr("the body of the request did not arrive within the limit of 50 ms"));
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST_F(HttpServerLimitsTest, AnIdleConnectionIsClosedSilently) {
  Serve({.idle_timeout = milliseconds(50)}, Echo);
  RawClient fresh(port());
  EXPECT_EQ(fresh.ReadToEnd(), "");
  RawClient used(port());
  EXPECT_EQ(used.Exchange("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
  EXPECT_EQ(used.ReadToEnd(), "");
  EXPECT_EQ(server_->stats().bad_requests, 0u);
}

TEST_F(HttpServerLimitsTest, ARequestBeingHandledIsNotIdle) {
  Serve({.header_timeout = milliseconds(20),
         .body_timeout = milliseconds(20),
         .idle_timeout = milliseconds(20)},
        requests_.handler());
  RawClient waiting(port());
  waiting.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  HeldRequests::Held held = requests_.Take();
  // Another connection's idle time begins later and ends: this one's would have been over.
  RawClient idle(port());
  EXPECT_EQ(idle.ReadToEnd(), "");
  held.respond(TextResponse("in time"));
  EXPECT_EQ(waiting.Read().body, "in time");
}

TEST_F(HttpServerLimitsTest, AClientThatDoesNotReadItsAnswerIsCutOff) {
  Serve({.write_timeout = milliseconds(100)}, [](HttpRequest, HttpResponder respond) {
    respond(TextResponse(std::string(size_t{64} << 20, 'x')));
  });
  RawClient client(port(), /*receive_buffer_bytes=*/4096);
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(
      Eventually([&] { return server_->stats().requests == 1 && server_->stats().connections_open == 0; }));
}

TEST_F(HttpServerLimitsTest, ConnectionsAtTheLimitAndPastIt) {
  Serve({.max_connections = 2}, Echo);
  const std::string request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  RawClient first(port());
  RawClient second(port());
  EXPECT_EQ(first.Exchange(request).status, 200);
  EXPECT_EQ(second.Exchange(request).status, 200);
  RawClient third(port());
  const RawResponse refused = third.Exchange(request);
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_EQ(refused.headers.at("connection"), "close");
  EXPECT_EQ(third.ReadToEnd(), "");
  HttpServerStats stats = server_->stats();
  EXPECT_EQ(stats.connections_accepted, 2u);
  EXPECT_EQ(stats.connections_refused, 1u);
  EXPECT_EQ(stats.connections_open, 2u);
  first.Close();
  ASSERT_TRUE(Eventually([&] { return server_->stats().connections_open == 1; }));
  EXPECT_EQ(RawClient(port()).Exchange(request).status, 200);
}

TEST_F(HttpServerLimitsTest, ConnectionsOfOneClientAtTheLimitAndPastIt) {
  Serve({.max_connections_per_client = 1}, Echo);
  const std::string request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  RawClient first(port());
  EXPECT_EQ(first.Exchange(request).status, 200);
  EXPECT_EQ(RawClient(port()).Exchange(request).status, 503);
  EXPECT_EQ(first.Exchange(request).status, 200);
}

TEST_F(HttpServerLimitsTest, AFloodOfConnectionsPastTheLimitIsAnsweredOrClosed) {
  Serve({.max_connections = 1}, Echo);
  RawClient first(port());
  EXPECT_EQ(first.Exchange("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
  std::vector<RawClient> flood;
  for (int i = 0; i < 200; ++i) flood.emplace_back(port());
  ASSERT_TRUE(Eventually([&] { return server_->stats().connections_refused == 200; }));
  int told = 0;
  for (RawClient& client : flood) told += client.Read().status == 503 ? 1 : 0;
  EXPECT_GE(told, 64);
  EXPECT_EQ(server_->stats().connections_open, 1u);
  EXPECT_EQ(first.Exchange("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
}

// Without descriptors the server waits for one, and serves the client that waited with it.
TEST_F(HttpServerLimitsTest, RunningOutOfDescriptorsIsSurvived) {
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
  GTEST_SKIP() << "UBSan needs a pipe to look at a type, and here there will be no descriptor for one";
#endif
#endif
  Serve({}, Echo);
  ExpectStillServes();
  ASSERT_TRUE(Eventually([&] { return server_->stats().connections_open == 0; }));
  const int client_socket = RawClient::Open();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = static_cast<rlim_t>(client_socket) + 1, .rlim_max = before.rlim_max};
  // The limit is the highest number, so numbers below it must be taken too.
  std::vector<int> fillers;
  for (int filler = dup(client_socket); filler >= 0 && filler < client_socket; filler = dup(client_socket)) {
    fillers.push_back(filler);
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  for (int filler = dup(client_socket); filler >= 0; filler = dup(client_socket)) fillers.push_back(filler);
  RawClient client(client_socket, port());
  client.Send("GET /waits HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(Eventually([&] { return server_->stats().accept_errors >= 2; }));
  // A spinning loop would have made thousands in the time of two.
  EXPECT_LT(server_->stats().accept_errors, 1000u);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(client.Read().body, "GET /waits 0");
  for (const int filler : fillers) close(filler);
}

}  // namespace
}  // namespace waystone
