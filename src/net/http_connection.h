// SPDX-License-Identifier: Apache-2.0
//
// One client's connection: reads requests, hands them to the handler, writes the answers in order. A state
// machine of callbacks, confined to its strand; only BeginDrain, ForceClose and the responders it makes are
// called from elsewhere. It lives as long as an operation of its own is under way; responders hold it weakly.
//
// Reading goes on while requests are being handled, for the next request and to notice that the client has
// gone. It pauses, which in the end makes the client wait, when max_pipelined answers are outstanding or
// their bodies reach max_body_bytes. After the last answer the connection lingers: it shuts down sending and
// discards what still comes for a moment, because closing with unread data would take the answer away from
// the client (RFC 9112 section 9.6).
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include <boost/beast/core/flat_buffer.hpp>

#include "net/asio_types.h"
#include "net/connection_registry.h"
#include "net/http_request_parser.h"
#include "net/http_response.h"
#include "net/response_queue.h"
#include "net/server_context.h"

namespace waystone {

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  // `peer` is the client's address for logs.
  HttpConnection(std::shared_ptr<ServerContext> context, TcpSocket socket, ConnectionRegistry::Place place,
                 std::string peer);
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // Serves requests until one side closes.
  void Start();
  // Answers 503 without reading, lingers, closes.
  void Refuse();
  // Ends when the requests that are on their way have been answered; at once when there are none.
  void BeginDrain();
  void ForceClose();

 private:
  enum class ReadMode {
    kRequests,  // parse what comes
    kWatch,     // no more requests: one read, only to notice that the client has gone
    kDiscard,   // lingering
    kOff,
  };

  void ReadMore();
  void OnRead(const error_code& error, size_t bytes);
  void OnReadEnded(const error_code& error);
  void Parse();
  bool HasRoomForRequest() const;
  void SetReadDeadline();
  void Dispatch();
  HttpResponder MakeResponder(uint64_t id);
  void Answer(uint64_t id, HttpResponse response);
  void FailRequest(int status, const std::string& text);
  void WriteNext();
  void WriteContinue();
  void OnWritten(const error_code& error);
  void Linger();
  void DrainNow();
  void Close();
  void ArmTimer();
  void OnTimer();
  void OnReadTimeout();

  const std::shared_ptr<ServerContext> context_;  // first: the members below reach into it when destroyed
  TcpSocket socket_;
  const Strand strand_;
  std::optional<ConnectionRegistry::Place> place_;
  const std::string peer_;
  const std::shared_ptr<std::atomic<bool>> client_gone_ = std::make_shared<std::atomic<bool>>(false);

  boost::beast::flat_buffer buffer_;
  std::optional<HttpRequestParser> parser_;  // from the first byte of a request to its last
  ReadMode read_mode_ = ReadMode::kRequests;
  bool reading_ = false;
  bool client_finished_ = false;  // it has shut down its sending side, or more
  size_t discarded_bytes_ = 0;
  TimePoint request_arrived_;
  TimePoint head_completed_;

  ResponseQueue answers_;
  std::optional<PendingAnswer> writing_answer_;
  std::string writing_head_;
  bool writing_ = false;

  SteadyTimer timer_;
  TimePoint timer_fires_ = TimePoint::max();
  TimePoint read_deadline_ = TimePoint::max();
  TimePoint write_deadline_ = TimePoint::max();
  bool closed_ = false;
};

}  // namespace waystone
