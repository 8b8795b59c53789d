// SPDX-License-Identifier: Apache-2.0
//
// How the server ends: nothing accepted is lost, nothing outlives it (S37, S38, S40).
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "net/http_server_fixture.h"

namespace waystone {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class HttpServerStopTest : public HttpServerFixture {
 protected:
  std::future<bool> StopInBackground(Duration drain) {
    return std::async(std::launch::async, [this, drain] { return server_->Stop(drain); });
  }
  // Waits until the listener is closed.
  void AwaitDraining() {
    ASSERT_TRUE(Eventually([&] {
      const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(port());
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      const bool refused = connect(probe, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0;
      close(probe);
      return refused;
    }));
  }
};

// S37, S40: what was accepted ends with its real result.
TEST_F(HttpServerStopTest, S37ARunningRequestIsAnsweredAndToldToClose) {
  HeldRequests requests;
  Serve({}, requests.handler());
  RawClient client(port());
  client.Send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
  HeldRequests::Held held = requests.Take();
  std::future<bool> stopped = StopInBackground(seconds(60));
  AwaitDraining();
  held.respond(TextResponse("finished"));
  const RawResponse response = client.Read();
  EXPECT_EQ(response.body, "finished");
  EXPECT_EQ(client.ReadToEnd(), "");
  client.Close();
  EXPECT_TRUE(stopped.get());
  EXPECT_EQ(server_->stats().connections_open, 0u);
}

TEST_F(HttpServerStopTest, ARequestThatIsStillArrivingIsServed) {
  Serve({}, Echo);
  RawClient client(port());
  client.Send("POST /late HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n");
  EXPECT_EQ(client.Read().status, 100);
  std::future<bool> stopped = StopInBackground(seconds(60));
  AwaitDraining();
  const RawResponse response = client.Exchange("abcdef");
  EXPECT_EQ(response.body, "POST /late 6");
  EXPECT_EQ(response.headers.at("connection"), "close");
  client.Close();
  EXPECT_TRUE(stopped.get());
}

TEST_F(HttpServerStopTest, EveryPipelinedRequestIsAnsweredAndTheLastSaysClose) {
  HeldRequests requests;
  Serve({}, requests.handler());
  RawClient client(port());
  client.Send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
  HeldRequests::Held first = requests.Take();
  HeldRequests::Held second = requests.Take();
  std::future<bool> stopped = StopInBackground(seconds(60));
  // Drained once this idle connection, made before, is closed; connections are told in no order, so the
  // answers are given only when the server waits for nothing else.
  AwaitDraining();
  second.respond(TextResponse("two"));
  first.respond(TextResponse("one"));
  EXPECT_EQ(client.Read().body, "one");
  EXPECT_EQ(client.Read().body, "two");
  EXPECT_EQ(client.ReadToEnd(), "");
  client.Close();
  EXPECT_TRUE(stopped.get());
}

// S38: idle connections do not linger.
TEST_F(HttpServerStopTest, S38IdleConnectionsAreClosedAtOnce) {
  Serve({}, Echo);
  RawClient used(port());
  EXPECT_EQ(used.Exchange("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
  RawClient fresh(port());
  ASSERT_TRUE(Eventually([&] { return server_->stats().connections_open == 2; }));
  // The drain time is beyond any test's patience: only closing at once can end this.
  EXPECT_TRUE(server_->Stop(std::chrono::hours(10)));
  EXPECT_EQ(used.ReadToEnd(), "");
  EXPECT_EQ(fresh.ReadToEnd(), "");
}

TEST_F(HttpServerStopTest, RequestsBeyondTheDrainTimeAreCutOff) {
  HeldRequests requests;
  Serve({}, requests.handler());
  RawClient client(port());
  client.Send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
  HeldRequests::Held held = requests.Take();
  EXPECT_FALSE(server_->Stop(milliseconds(20)));
  EXPECT_TRUE(held.request.client_gone());
  EXPECT_EQ(client.Read().status, 0);
  held.respond(TextResponse("nobody listens"));
}

TEST_F(HttpServerStopTest, AResponderMayOutliveItsServer) {
  HeldRequests requests;
  Serve({}, requests.handler());
  RawClient client(port());
  client.Send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
  HeldRequests::Held held = requests.Take();
  server_.reset();
  EXPECT_TRUE(held.request.client_gone());
  held.respond(TextResponse("nobody is there"));
}

TEST_F(HttpServerStopTest, AnswersThatRaceWithTheEndAreSafe) {
  for (int round = 0; round < 30; ++round) {
    HeldRequests requests;
    Serve({.io_threads = 2}, requests.handler());
    std::vector<RawClient> clients;
    for (int i = 0; i < 4; ++i) {
      clients.emplace_back(port());
      clients.back().Send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
    }
    std::vector<HeldRequests::Held> held;
    for (int i = 0; i < 8; ++i) held.push_back(requests.Take());
    std::thread answering([&held] {
      for (HeldRequests::Held& one : held) one.respond(TextResponse("racing"));
    });
    server_->Stop(Duration::zero());
    server_.reset();
    answering.join();
  }
}

TEST_F(HttpServerStopTest, StopIsIdempotentAndMayBeCalledByMany) {
  Serve({}, Echo);
  ExpectStillServes();
  std::future<bool> other = StopInBackground(seconds(60));
  EXPECT_TRUE(server_->Stop(seconds(60)));
  EXPECT_TRUE(other.get());
  EXPECT_TRUE(server_->Stop(Duration::zero()));
  server_->Start();  // does not come back to life
  EXPECT_FALSE(Fetch("GET", "/").ok());
}

TEST_F(HttpServerStopTest, AServerThatNeverStartedStops) {
  absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Create({}, Echo);
  ASSERT_TRUE(server.ok());
  EXPECT_GT((*server)->port(), 0);
  EXPECT_TRUE((*server)->Stop(seconds(60)));
}

// S40: a client whose connection and request had reached this machine before the stop gets its answer.
TEST_F(HttpServerStopTest, S40RequestsThatHaveArrivedAreServed) {
  for (int round = 0; round < 20; ++round) {
    Serve({}, Echo);
    std::vector<RawClient> clients;
    for (int i = 0; i < 10; ++i) {
      clients.emplace_back(port());
      clients.back().Send("GET /arrived HTTP/1.1\r\nHost: h\r\n\r\n");
      clients.back().FinishSending();
    }
    EXPECT_TRUE(server_->Stop(seconds(60)));
    for (RawClient& client : clients) EXPECT_EQ(client.Read().body, "GET /arrived 0");
  }
}

}  // namespace
}  // namespace waystone
