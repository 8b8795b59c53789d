// SPDX-License-Identifier: Apache-2.0
//
// HTTP/1.1 server (RFC 9110, 9112) over Boost.Beast with every limit set: header bytes and count, body bytes,
// chunk count, time for header and body, idle time, connections in all and per client address, pipelined
// requests. Its io threads do no work of their own: a handler must hand long work on and answer later.
//
// Threads: Start, Stop and the accessors from any thread. The handler is called on an io thread and must not
// block; the responder may be called from any thread, once; a responder destroyed without an answer sends
// 500. Answers of one connection go out in the order of its requests.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "base/clock.h"

namespace waystone {

struct HttpRequest {
  std::string method;  // as sent: GET, POST, ...
  std::string path;    // percent-decoded, without the query; always begins with '/'; never holds NUL
  std::map<std::string, std::string> query;                  // decoded; the last one wins
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  std::string peer;   // address of the client, for logs
  TimePoint arrived;  // when the first byte of the request was read
  // True once the client has closed its connection: its answer is of no use any more. Thread-safe.
  std::function<bool()> client_gone;

  // The value of a header by lower-case name, or "".
  const std::string& header(const std::string& name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

// Sends the answer of one request. Move-only; callable once.
class HttpResponder {
 public:
  using Send = std::function<void(HttpResponse)>;
  explicit HttpResponder(Send send) : send_(std::move(send)) {}
  HttpResponder(HttpResponder&& other) noexcept : send_(std::exchange(other.send_, nullptr)) {}
  HttpResponder& operator=(HttpResponder&& other) noexcept;
  ~HttpResponder();
  void operator()(HttpResponse response);

 private:
  Send send_;
};

using HttpHandler = std::function<void(HttpRequest, HttpResponder)>;

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: any free one
  int io_threads = 1;
  size_t max_header_bytes = 16 * 1024;
  size_t max_header_count = 100;
  uint64_t max_body_bytes = uint64_t{64} << 20;
  size_t max_chunks = 100'000;  // of one chunked body
  int max_connections = 1024;
  int max_connections_per_client = 256;
  int max_pipelined = 16;  // requests of one connection that wait for their answer
  uint64_t max_body_bytes_in_flight = uint64_t{1}
                                      << 30;  // bodies of all connections, until they are answered
  Duration header_timeout = std::chrono::seconds(10);
  Duration body_timeout = std::chrono::seconds(30);  // for the whole body
  Duration idle_timeout = std::chrono::seconds(60);
  Duration write_timeout = std::chrono::seconds(30);
};

struct HttpServerStats {
  uint64_t connections_accepted = 0;  // those served; the refused ones are not among them
  uint64_t connections_refused = 0;   // over a connection limit: told 503 and closed
  uint64_t accept_errors = 0;  // the system had no descriptor or memory for a connection; tried again later
  uint64_t connections_open = 0;
  uint64_t requests = 0;
  uint64_t bad_requests = 0;  // refused by the server itself: malformed, too large, too slow
};

class HttpServer {
 public:
  // Binds and listens; nothing is served before Start. Unavailable when the address is taken, InvalidArgument
  // when it is none.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Create(HttpServerOptions options, HttpHandler handler);
  virtual ~HttpServer() = default;
  virtual void Start() = 0;
  virtual uint16_t port() const = 0;
  // Stops accepting, closes idle connections, lets running requests end within `drain`, then closes the rest
  // and joins the io threads. Idempotent; a second caller waits for the first. Not from a handler, which runs
  // on an io thread. False when requests were cut off.
  virtual bool Stop(Duration drain) = 0;
  virtual HttpServerStats stats() const = 0;
};

}  // namespace waystone
