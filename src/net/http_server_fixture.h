// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the HTTP server share: a server on a free port of loopback whose handler either answers
// with what it was asked or keeps the requests until the test answers them. Thread-safe where the server
// calls it.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include <gtest/gtest.h>

#include "base/mutex.h"
#include "net/http_client.h"
#include "net/http_server.h"
#include "support/raw_client.h"

namespace waystone {

// Requests whose answer the test gives, in any order, from any thread.
class HeldRequests {
 public:
  struct Held {
    HttpRequest request;
    HttpResponder respond;
  };

  HttpHandler handler() {
    return [this](HttpRequest request, HttpResponder respond) {
      MutexLock lock(mutex_);
      held_.push_back({std::move(request), std::move(respond)});
      ++arrived_;
      came_.NotifyOne();
    };
  }
  // Waits for a request and takes the oldest.
  Held Take() {
    MutexLock lock(mutex_);
    while (held_.empty()) came_.Wait(mutex_);
    Held oldest = std::move(held_.front());
    held_.pop_front();
    return oldest;
  }
  size_t arrived() {
    MutexLock lock(mutex_);
    return arrived_;
  }

 private:
  Mutex mutex_;
  CondVar came_;
  std::deque<Held> held_ ABSL_GUARDED_BY(mutex_);
  size_t arrived_ ABSL_GUARDED_BY(mutex_) = 0;
};

// "METHOD path body-length".
inline void Echo(HttpRequest request, HttpResponder respond) {
  HttpResponse response;
  response.content_type = "text/plain";
  response.body = absl::StrCat(request.method, " ", request.path, " ", request.body.size());
  respond(std::move(response));
}

inline HttpResponse TextResponse(std::string text) {
  HttpResponse response;
  response.content_type = "text/plain";
  response.body = std::move(text);
  return response;
}

class HttpServerFixture : public testing::Test {
 protected:
  void Serve(HttpServerOptions options, HttpHandler handler) {
    absl::StatusOr<std::unique_ptr<HttpServer>> server =
        HttpServer::Create(std::move(options), std::move(handler));
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    server_->Start();
  }
  uint16_t port() const { return server_->port(); }
  absl::StatusOr<HttpClientResponse> Fetch(const std::string& method, const std::string& target,
                                           std::string body = "") {
    return HttpFetch("127.0.0.1", port(), method, target, {}, std::move(body), std::chrono::seconds(60));
  }
  // The process lives and the next request is served.
  void ExpectStillServes() {
    const absl::StatusOr<HttpClientResponse> response = Fetch("GET", "/still-there");
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->body, "GET /still-there 0");
  }

  HeldRequests requests_;  // before the server, whose handler may use it to the last
  std::unique_ptr<HttpServer> server_;
};

}  // namespace waystone
