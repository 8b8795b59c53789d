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
  // Begins to stop beside one busy connection and waits until that one has been told: connections are told in
  // the order in which they came, and an idle one that is made here is closed for it.
  std::future<bool> StopAndAwaitDraining() {
    RawClient idle(port());
    EXPECT_TRUE(Eventually([&] { return server_->stats().connections_open == 2; }));
    std::future<bool> stopped = StopInBackground(seconds(60));
    EXPECT_EQ(idle.ReadToEnd(), "");
    return stopped;
  }
};

// S37, S40: what was accepted ends with its real result.
TEST_F(HttpServerStopTest, S37ARunningRequestIsAnsweredAndToldToClose) {
  Serve({}, requests_.handler());
  RawClient client(port());
  client.Send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
  HeldRequests::Held held = requests_.Take();
  std::future<bool> stopped = StopAndAwaitDraining();
  held.respond(TextResponse("finished"));
  const RawResponse response = client.Read();
  EXPECT_EQ(response.body, "finished");
  EXPECT_EQ(response.headers.at("connection"), "close");
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
  std::future<bool> stopped = StopAndAwaitDraining();
  const RawResponse response = client.Exchange("abcdef");
  EXPECT_EQ(response.body, "POST /late 6");
  EXPECT_EQ(response.headers.at("connection"), "close");
  client.Close();
  EXPECT_TRUE(stopped.get());
}

TEST_F(HttpServerStopTest, EveryPipelinedRequestIsAnsweredAndTheLastSaysClose) {
  Serve({}, requests_.handler());
  RawClient client(port());
  client.Send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
  HeldRequests::Held first = requests_.Take();
  HeldRequests::Held second = requests_.Take();
  std::future<bool> stopped = StopAndAwaitDraining();
  second.respond(TextResponse("two"));
  first.respond(TextResponse("one"));
  const RawResponse one = client.Read();
  EXPECT_EQ(one.body, "one");
  EXPECT_FALSE(one.headers.contains("connection"));
  const RawResponse two = client.Read();
  EXPECT_EQ(two.body, "two");
  EXPECT_EQ(two.headers.at("connection"), "close");
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
  Serve({}, requests_.handler());
  RawClient client(port());
  client.Send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
  HeldRequests::Held held = requests_.Take();
  EXPECT_FALSE(server_->Stop(milliseconds(20)));
  EXPECT_TRUE(held.request.client_gone());
  EXPECT_EQ(client.Read().status, 0);
  held.respond(TextResponse("nobody listens"));
}

TEST_F(HttpServerStopTest, AResponderMayOutliveItsServer) {
  Serve({}, requests_.handler());
  RawClient client(port());
  client.Send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
  HeldRequests::Held held = requests_.Take();
  server_.reset();
  EXPECT_TRUE(held.request.client_gone());
  held.respond(TextResponse("nobody is there"));
}

TEST_F(HttpServerStopTest, AnswersThatRaceWithTheEndAreSafe) {
  for (int round = 0; round < 30; ++round) {
    Serve({.io_threads = 2}, requests_.handler());
    std::vector<RawClient> clients;
    for (int i = 0; i < 4; ++i) {
      clients.emplace_back(port());
      clients.back().Send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
    }
    std::vector<HeldRequests::Held> held;
    for (int i = 0; i < 8; ++i) held.push_back(requests_.Take());
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
