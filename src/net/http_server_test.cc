// SPDX-License-Identifier: Apache-2.0
#include "net/http_server.h"

#include <filesystem>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http_server_fixture.h"

namespace waystone {
namespace {

using testing::HasSubstr;
using testing::Not;

class HttpServerTest : public HttpServerFixture {};

size_t OpenDescriptors() {
  const std::filesystem::directory_iterator listing("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(listing), end(listing)));
}

TEST_F(HttpServerTest, GivesTheHandlerADecodedRequest) {
  Serve({}, requests_.handler());
  RawClient client(port());
  client.Send(
      "POST /a%20b?x=1&y=%C3%A9+e&x=2 HTTP/1.1\r\nHost: h\r\nX-Thing:  some value \r\nContent-Length: "
      "5\r\n\r\nhello");
  HeldRequests::Held held = requests_.Take();
  EXPECT_EQ(held.request.method, "POST");
  EXPECT_EQ(held.request.path, "/a b");
  EXPECT_EQ(held.request.query.at("x"), "2");
  EXPECT_EQ(held.request.query.at("y"), "\xC3\xA9 e");
  EXPECT_EQ(held.request.header("x-thing"), "some value");
  EXPECT_EQ(held.request.header("absent"), "");
  EXPECT_EQ(held.request.body, "hello");
  EXPECT_EQ(held.request.peer, "127.0.0.1");
  EXPECT_GT(held.request.arrived.time_since_epoch().count(), 0);
  EXPECT_FALSE(held.request.client_gone());
  held.respond(TextResponse("done"));
  EXPECT_EQ(client.Read().body, "done");
}

TEST_F(HttpServerTest, AnswersCarryWhatEveryAnswerMust) {
  Serve({}, Echo);
  RawClient client(port());
  const RawResponse response = client.Exchange("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.at("server"), "waystone");
  EXPECT_EQ(response.headers.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(response.headers.at("content-type"), "text/plain");
  EXPECT_EQ(response.headers.at("content-length"), "7");
  EXPECT_THAT(response.headers.at("date"), HasSubstr(" GMT"));
  EXPECT_FALSE(response.headers.contains("connection"));
}

TEST_F(HttpServerTest, AHandlersHeadersCannotBreakTheFraming) {
  Serve({}, [](HttpRequest, HttpResponder respond) {
    HttpResponse response = TextResponse("ok");
    response.headers = {{"X-Good", "yes"},
                        {"X-Split", "a\r\nSet-Cookie: b"},
                        {"Bad Name", "x"},
                        {"Content-Length", "9999"},
                        {"Transfer-Encoding", "chunked"}};
    respond(std::move(response));
  });
  RawClient client(port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const std::string answer = client.ReadToEnd();
  EXPECT_THAT(answer, HasSubstr("X-Good: yes\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Length: 2\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("Set-Cookie")));
  EXPECT_THAT(answer, Not(HasSubstr("9999")));
  EXPECT_THAT(answer, Not(HasSubstr("chunked")));
  EXPECT_THAT(answer, Not(HasSubstr("Bad Name")));
}

TEST_F(HttpServerTest, KeepsTheConnectionForTheNextRequest) {
  Serve({}, Echo);
  RawClient client(port());
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(client.Exchange("GET /again HTTP/1.1\r\nHost: h\r\n\r\n").body, "GET /again 0");
  }
  EXPECT_EQ(server_->stats().connections_accepted, 1u);
  EXPECT_EQ(server_->stats().requests, 5u);
}

TEST_F(HttpServerTest, ClosesWhenTheClientAsksForIt) {
  Serve({}, Echo);
  RawClient client(port());
  client.Send(
      "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET /never HTTP/1.1\r\nHost: h\r\n\r\n");
  const RawResponse response = client.Read();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.at("connection"), "close");
  EXPECT_EQ(client.ReadToEnd(), "");
  EXPECT_EQ(server_->stats().requests, 1u);
}

TEST_F(HttpServerTest, ClosesAfterAnHttp10RequestUnlessKeepAliveIsAsked) {
  Serve({}, Echo);
  RawClient kept(port());
  const RawResponse first = kept.Exchange("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(first.headers.at("connection"), "keep-alive");
  EXPECT_EQ(kept.Exchange("GET /b HTTP/1.0\r\n\r\n").body, "GET /b 0");
  EXPECT_EQ(kept.ReadToEnd(), "");
}

TEST_F(HttpServerTest, AnswersHeadWithTheLengthAndWithoutTheBody) {
  Serve({}, Echo);
  RawClient client(port());
  client.Send("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\nGET /y HTTP/1.1\r\nHost: h\r\n\r\n");
  const RawResponse head = client.Read(/*to_head=*/true);
  EXPECT_EQ(head.headers.at("content-length"), "9");
  EXPECT_EQ(client.Read().body, "GET /y 0");
}

TEST_F(HttpServerTest, AnswersWithoutContentHaveNoLength) {
  Serve({}, [](HttpRequest, HttpResponder respond) {
    respond({.status = 204, .body = "dropped", .headers = {}});
  });
  RawClient client(port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const std::string answer = client.ReadToEnd();
  EXPECT_THAT(answer, testing::StartsWith("HTTP/1.1 204 No Content\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("Content-Length")));
  EXPECT_THAT(answer, testing::EndsWith("\r\n\r\n"));
}

TEST_F(HttpServerTest, ReadsChunkedBodiesAndDropsTrailers) {
  Serve({}, Echo);
  RawClient client(port());
  const RawResponse response = client.Exchange(
      "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;ext=\"1\"\r\nhello\r\n6\r\n world\r\n0\r\nX-Trailer: t\r\n\r\n");
  EXPECT_EQ(response.body, "POST /c 11");
  EXPECT_EQ(client.Exchange("GET /n HTTP/1.1\r\nHost: h\r\n\r\n").body, "GET /n 0");
}

TEST_F(HttpServerTest, ReadsARequestThatComesByteByByte) {
  Serve({}, Echo);
  RawClient client(port());
  for (const char c :
       std::string("POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n")) {
    ASSERT_TRUE(client.Send(std::string_view(&c, 1)));
  }
  EXPECT_EQ(client.Read().body, "POST /c 2");
}

TEST_F(HttpServerTest, MovesLargeBodiesThroughUnharmed) {
  std::string body(size_t{20} << 20, '\0');
  for (size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 2654435761u >> 13);
  Serve({}, [](HttpRequest request, HttpResponder respond) {
    respond({.content_type = "application/octet-stream", .body = std::move(request.body), .headers = {}});
  });
  const absl::StatusOr<HttpClientResponse> response = Fetch("POST", "/", body);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_TRUE(response->body == body);
}

TEST_F(HttpServerTest, SendsContinueOnlyWhenTheClientWaitsForIt) {
  Serve({}, Echo);
  RawClient client(port());
  client.Send("POST /e HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.Read().status, 100);
  EXPECT_EQ(client.Exchange("abc").body, "POST /e 3");
  // The body is there already: no interim answer comes before the final one.
  EXPECT_EQ(
      client.Exchange("POST /e HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc")
          .status,
      200);
}

TEST_F(HttpServerTest, SendsContinueAfterTheAnswersToEarlierRequests) {
  Serve({}, requests_.handler());
  RawClient client(port());
  client.Send(
      "GET /first HTTP/1.1\r\nHost: h\r\n\r\n"
      "POST /second HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  requests_.Take().respond(TextResponse("first"));
  EXPECT_EQ(client.Read().body, "first");
  EXPECT_EQ(client.Read().status, 100);
  client.Send("abc");
  requests_.Take().respond(TextResponse("second"));
  EXPECT_EQ(client.Read().body, "second");
}

TEST_F(HttpServerTest, PipelinedAnswersKeepTheOrderOfTheirRequests) {
  Serve({}, requests_.handler());
  RawClient client(port());
  client.Send(
      "GET /0 HTTP/1.1\r\nHost: h\r\n\r\nGET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: "
      "h\r\n\r\n");
  HeldRequests::Held first = requests_.Take();
  HeldRequests::Held second = requests_.Take();
  HeldRequests::Held third = requests_.Take();
  std::thread([&] { third.respond(TextResponse("answer 2")); }).join();
  std::thread([&] { second.respond(TextResponse("answer 1")); }).join();
  std::thread([&] { first.respond(TextResponse("answer 0")); }).join();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Read().body, absl::StrCat("answer ", i));
}

TEST_F(HttpServerTest, StopsReadingAtTheLimitOfPipelinedRequests) {
  Serve({.max_pipelined = 4}, requests_.handler());
  RawClient client(port());
  std::string many;
  for (int i = 0; i < 20; ++i) absl::StrAppend(&many, "GET /", i, " HTTP/1.1\r\nHost: h\r\n\r\n");
  client.Send(many);
  std::deque<HeldRequests::Held> held;
  for (int i = 0; i < 4; ++i) held.push_back(requests_.Take());
  for (int i = 0; i < 20; ++i) {
    // Each answer makes room for exactly one request; while four wait there can be no fifth.
    EXPECT_LE(requests_.arrived(), static_cast<size_t>(i + 4));
    EXPECT_EQ(held.front().request.path, absl::StrCat("/", i));
    held.front().respond(TextResponse(absl::StrCat("answer ", i)));
    held.pop_front();
    EXPECT_EQ(client.Read().body, absl::StrCat("answer ", i));
    if (i + 4 < 20) held.push_back(requests_.Take());
  }
}

TEST_F(HttpServerTest, AnswersFromManyThreadsAtOnce) {
  Serve({.io_threads = 2}, requests_.handler());
  constexpr int kClients = 8;
  constexpr int kRequests = 50;
  std::vector<std::thread> workers;
  for (int i = 0; i < 3; ++i) {
    workers.emplace_back([this] {
      for (;;) {
        HeldRequests::Held held = requests_.Take();
        if (held.request.path == "/quit") return held.respond(TextResponse("bye"));
        held.respond(TextResponse(held.request.path));
      }
    });
  }
  std::vector<std::thread> clients;
  for (int c = 0; c < kClients; ++c) {
    clients.emplace_back([this, c] {
      RawClient client(port());
      for (int i = 0; i < kRequests; ++i) {
        const std::string path = absl::StrCat("/", c, "/", i);
        EXPECT_EQ(client.Exchange(absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: h\r\n\r\n")).body, path);
      }
    });
  }
  for (std::thread& client : clients) client.join();
  for (size_t i = 0; i < workers.size(); ++i) EXPECT_TRUE(Fetch("GET", "/quit").ok());
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(server_->stats().requests, static_cast<uint64_t>(kClients * kRequests) + workers.size());
}

TEST_F(HttpServerTest, ADroppedResponderAnswers500) {
  Serve({}, [](HttpRequest, HttpResponder) {});
  const absl::StatusOr<HttpClientResponse> response = Fetch("GET", "/");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 500);
  EXPECT_THAT(response->body, HasSubstr("\"error\""));
}

TEST_F(HttpServerTest, AReplacedResponderAnswers500) {
  Serve({}, [](HttpRequest, HttpResponder respond) { respond = HttpResponder([](HttpResponse) {}); });
  EXPECT_EQ(Fetch("GET", "/")->status, 500);
}

TEST_F(HttpServerTest, AThrowingHandlerAnswers500AndTheServerGoesOn) {
  Serve({}, [](HttpRequest request, HttpResponder respond) {
    if (request.path == "/throw") throw std::runtime_error("secret detail");
    if (request.path == "/throw-int") throw 1;
    Echo(std::move(request), std::move(respond));
  });
  const absl::StatusOr<HttpClientResponse> response = Fetch("GET", "/throw");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 500);
  EXPECT_THAT(response->body, Not(HasSubstr("secret")));
  EXPECT_EQ(Fetch("GET", "/throw-int")->status, 500);
  ExpectStillServes();
}

TEST_F(HttpServerTest, ASecondAnswerAndAnImpossibleStatusDoNoHarm) {
  Serve({}, [](HttpRequest request, HttpResponder respond) {
    respond({.status = request.path == "/odd" ? 99 : 200, .body = "first", .headers = {}});
    respond(TextResponse("second"));
  });
  EXPECT_EQ(Fetch("GET", "/odd")->status, 500);
  EXPECT_EQ(Fetch("GET", "/")->body, "first");
}

// S41: a client that leaves is noticed while its request is being handled.
TEST_F(HttpServerTest, TellsTheHandlerWhenTheClientIsGone) {
  Serve({}, requests_.handler());
  RawClient client(port());
  client.Send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
  HeldRequests::Held held = requests_.Take();
  EXPECT_FALSE(held.request.client_gone());
  client.Close();
  EXPECT_TRUE(Eventually([&] { return held.request.client_gone(); }));
  held.respond(TextResponse("too late"));
  EXPECT_TRUE(Eventually([&] { return server_->stats().connections_open == 0; }));
}

TEST_F(HttpServerTest, TellsTheHandlerWhenTheClientOfAClosingRequestIsGone) {
  Serve({}, requests_.handler());
  RawClient client(port());
  client.Send("GET /slow HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  HeldRequests::Held held = requests_.Take();
  client.Close();
  EXPECT_TRUE(Eventually([&] { return held.request.client_gone(); }));
}

TEST_F(HttpServerTest, AClientThatOnlyFinishedSendingStillGetsItsAnswers) {
  Serve({}, requests_.handler());
  RawClient client(port());
  client.Send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\nGET /unfinis");
  client.FinishSending();
  requests_.Take().respond(TextResponse("one"));
  requests_.Take().respond(TextResponse("two"));
  EXPECT_EQ(client.Read().body, "one");
  EXPECT_EQ(client.Read().body, "two");
  EXPECT_EQ(client.ReadToEnd(), "");
}

// H15 (server#8768): an answer to a peer that has closed raises no SIGPIPE.
TEST_F(HttpServerTest, H15AnsweringAClosedPeerDoesNotKillTheProcess) {
  Serve({}, requests_.handler());
  for (int i = 0; i < 20; ++i) {
    RawClient client(port());
    client.Send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
    HeldRequests::Held first = requests_.Take();
    HeldRequests::Held second = requests_.Take();
    client.Close();
    first.respond(TextResponse(std::string(size_t{1} << 20, 'x')));
    second.respond(TextResponse(std::string(size_t{1} << 20, 'x')));
  }
  EXPECT_TRUE(Eventually([&] { return server_->stats().connections_open == 0; }));
}

// S31: probes leak neither connections nor descriptors.
TEST_F(HttpServerTest, S31AThousandConnectionsLeaveNothingBehind) {
  Serve({}, Echo);
  ExpectStillServes();
  ASSERT_TRUE(Eventually([&] { return server_->stats().connections_open == 0; }));
  const size_t before = OpenDescriptors();
  for (int i = 0; i < 1000; ++i) {
    RawClient client(port());
    ASSERT_EQ(client.Exchange("GET /probe HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
  }
  EXPECT_TRUE(Eventually([&] { return server_->stats().connections_open == 0; }));
  EXPECT_EQ(OpenDescriptors(), before);
  EXPECT_EQ(server_->stats().connections_accepted, 1001u);
}

TEST_F(HttpServerTest, ListensOnIpv6) {
  absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Create({.address = "::1"}, Echo);
  if (!server.ok()) GTEST_SKIP() << "no IPv6 loopback on this machine: " << server.status();
  (*server)->Start();
  const absl::StatusOr<HttpClientResponse> response =
      HttpFetch("::1", (*server)->port(), "GET", "/six", {}, "", std::chrono::seconds(60));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, "GET /six 0");
}

TEST_F(HttpServerTest, RefusesToStartWithWhatCannotWork) {
  Serve({}, Echo);
  EXPECT_EQ(HttpServer::Create({.port = port()}, Echo).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(HttpServer::Create({.address = "nowhere"}, Echo).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(HttpServer::Create({.address = "192.0.2.1"}, Echo).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(HttpServer::Create({.io_threads = 0}, Echo).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(HttpServer::Create({.max_pipelined = 0}, Echo).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(HttpServerTest, ThePortIsFreeForTheNextServerAtOnce) {
  Serve({}, Echo);
  const uint16_t first_port = port();
  ExpectStillServes();
  server_->Stop(std::chrono::seconds(60));
  Serve({.port = first_port}, Echo);
  ExpectStillServes();
}

}  // namespace
}  // namespace waystone
