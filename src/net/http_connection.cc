// SPDX-License-Identifier: Apache-2.0
#include "net/http_connection.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include "base/deadline.h"
#include "base/log.h"

namespace waystone {
namespace {

constexpr size_t kReadBytes = 16 * 1024;  // of one read from the socket
constexpr Duration kLingerTime = std::chrono::seconds(1);
constexpr size_t kMaxLingerBytes = size_t{16} << 20;

TimePoint Now() { return std::chrono::steady_clock::now(); }

int64_t Milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

TimePoint DeadlineAfter(TimePoint from, Duration after) { return Deadline::After(from, after).when(); }

}  // namespace

HttpConnection::HttpConnection(std::shared_ptr<ServerContext> context, TcpSocket socket,
                               ConnectionRegistry::Place place, std::string peer)
    : context_(std::move(context)),
      socket_(std::move(socket)),
      strand_(socket_.get_executor()),
      place_(std::move(place)),
      peer_(std::move(peer)),
      buffer_(context_->options.max_header_bytes + kReadBytes),
      timer_(strand_) {}

void HttpConnection::Start() {
  asio::dispatch(strand_, [self = shared_from_this()] {
    if (self->closed_) return;
    if (self->context_->draining.load()) self->DrainNow();
    self->Parse();
  });
}

void HttpConnection::Refuse() {
  asio::dispatch(strand_, [self = shared_from_this()] {
    if (self->closed_) return;
    self->read_mode_ = ReadMode::kOff;
    HttpResponse response = ServerErrorResponse(503, "the limit of open connections has been reached");
    response.headers.emplace_back("Retry-After", "1");
    const uint64_t id =
        self->answers_.Push({.body = ByteBudget::Share(self->context_->bodies), .response = {}});
    self->Answer(id, std::move(response));
  });
}

void HttpConnection::BeginDrain() {
  asio::post(strand_, [self = shared_from_this()] { self->DrainNow(); });
}

void HttpConnection::ForceClose() {
  asio::post(strand_, [self = shared_from_this()] {
    if (self->closed_) return;
    const bool busy = self->parser_.has_value() || !self->answers_.empty() || self->writing_;
    if (busy && !self->client_finished_) self->context_->cut_off.fetch_add(1);
    self->Close();
  });
}

// --- reading
// -------------------------------------------------------------------------------------------------------

void HttpConnection::ReadMore() {
  if (closed_ || reading_ || read_mode_ == ReadMode::kOff || client_finished_) return;
  if (read_mode_ == ReadMode::kWatch) buffer_.clear();  // no request will be made of it
  reading_ = true;
  socket_.async_read_some(buffer_.prepare(kReadBytes),
                          [self = shared_from_this()](const error_code& error, size_t bytes) {
                            self->reading_ = false;
                            if (!self->closed_) self->OnRead(error, bytes);
                          });
}

void HttpConnection::OnRead(const error_code& error, size_t bytes) {
  if (error == asio::error::operation_aborted) return DrainNow();
  if (error) return OnReadEnded(error);
  switch (read_mode_) {
    case ReadMode::kRequests:
      buffer_.commit(bytes);
      return Parse();
    case ReadMode::kDiscard:
      discarded_bytes_ += bytes;
      if (discarded_bytes_ > kMaxLingerBytes) return Close();
      return ReadMore();
    case ReadMode::kWatch:
      // More than was agreed on. With its bytes in the way the client's leaving can no longer be seen.
      read_mode_ = ReadMode::kOff;
      return;
    case ReadMode::kOff:
      return;
  }
}

void HttpConnection::OnReadEnded(const error_code& error) {
  client_gone_->store(true);
  client_finished_ = true;
  // A client may shut down its sending side and wait for answers: what is on its way is still sent.
  const bool may_still_listen = error == asio::error::eof && read_mode_ != ReadMode::kDiscard;
  if (!may_still_listen || (answers_.empty() && !writing_)) return Close();
  parser_.reset();
  read_mode_ = ReadMode::kOff;
  read_deadline_ = TimePoint::max();
}

bool HttpConnection::HasRoomForRequest() const {
  if (answers_.empty()) return true;
  return answers_.size() < static_cast<size_t>(context_->options.max_pipelined) &&
         answers_.body_bytes() < context_->options.max_body_bytes;
}

void HttpConnection::Parse() {
  bool paused = false;
  // While a read is under way the bytes at hand have been found too few, and the buffer belongs to the read.
  while (!closed_ && !reading_ && read_mode_ == ReadMode::kRequests) {
    if (!parser_ && !HasRoomForRequest()) {
      paused = true;
      break;
    }
    if (buffer_.size() == 0) break;
    if (!parser_) {
      parser_.emplace(context_->options, context_->bodies);
      request_arrived_ = Now();
      head_completed_ = TimePoint::max();
    }
    const auto data = buffer_.data();
    buffer_.consume(parser_->Feed({static_cast<const char*>(data.data()), data.size()}));
    if (parser_->error()) {
      FailRequest(parser_->error()->status, parser_->error()->text);
    } else if (parser_->is_complete()) {
      Dispatch();
    } else {
      break;
    }
  }
  if (closed_) return;
  if (parser_ && parser_->awaits_continue()) WriteContinue();
  SetReadDeadline();
  if (!paused) ReadMore();
}

void HttpConnection::SetReadDeadline() {
  if (read_mode_ == ReadMode::kDiscard) return;
  const HttpServerOptions& options = context_->options;
  read_deadline_ = TimePoint::max();
  if (parser_ && !parser_->head_is_complete()) {
    read_deadline_ = DeadlineAfter(request_arrived_, options.header_timeout);
  } else if (parser_) {
    if (head_completed_ == TimePoint::max()) head_completed_ = Now();
    read_deadline_ = DeadlineAfter(head_completed_, options.body_timeout);
  } else if (read_mode_ == ReadMode::kRequests && answers_.empty() && !writing_) {
    read_deadline_ = DeadlineAfter(Now(), options.idle_timeout);
  }
  ArmTimer();
}

void HttpConnection::Dispatch() {
  HttpRequest request = parser_->TakeRequest();
  request.peer = peer_;
  request.arrived = request_arrived_;
  request.client_gone = [gone = client_gone_] { return gone->load(std::memory_order_relaxed); };
  const bool keep_alive = parser_->wants_keep_alive() && !context_->draining.load();
  const uint64_t id = answers_.Push({.is_head_request = request.method == "HEAD",
                                     .asks_keep_alive = keep_alive && parser_->is_http_1_0(),
                                     .body = parser_->TakeBodyShare(),
                                     .response = {}});
  parser_.reset();
  if (!keep_alive) read_mode_ = ReadMode::kWatch;
  context_->requests.fetch_add(1, std::memory_order_relaxed);
  try {
    context_->handler(std::move(request), MakeResponder(id));
  } catch (const std::exception& error) {
    // The responder answered 500 when the exception destroyed it.
    LogError(absl::StrCat("the handler of a request threw: ", LogSafe(error.what())));
  } catch (...) {
    LogError("the handler of a request threw something that is no std::exception");
  }
}

void HttpConnection::FailRequest(int status, const std::string& text) {
  context_->bad_requests.fetch_add(1, std::memory_order_relaxed);
  const uint64_t id = answers_.Push({.is_head_request = parser_->is_head_request(),
                                     .body = ByteBudget::Share(context_->bodies),
                                     .response = {}});
  HttpResponse response = ServerErrorResponse(status, text);
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  parser_.reset();
  read_mode_ = ReadMode::kWatch;
  Answer(id, std::move(response));
}

// --- answering
// -----------------------------------------------------------------------------------------------------

HttpResponder HttpConnection::MakeResponder(uint64_t id) {
  return HttpResponder([weak = weak_from_this(), id](HttpResponse response) {
    const std::shared_ptr<HttpConnection> self = weak.lock();
    if (self == nullptr) return;
    // The posted function holds the connection weakly too: should the io threads have ended meanwhile, it is
    // destroyed with the io_context, which a connection keeps alive.
    asio::dispatch(self->strand_, [weak, id, response = std::move(response)]() mutable {
      if (const std::shared_ptr<HttpConnection> connection = weak.lock())
        connection->Answer(id, std::move(response));
    });
  });
}

void HttpConnection::Answer(uint64_t id, HttpResponse response) {
  if (closed_) return;
  if (response.status < 200 || response.status > 599) {
    LogError(absl::StrCat("a handler answered with the status ", response.status, ", sent 500 instead"));
    response = ServerErrorResponse(500, "internal error");
  }
  answers_.Put(id, std::move(response));
  WriteNext();
}

void HttpConnection::WriteNext() {
  if (closed_ || writing_ || !answers_.front_is_ready()) return;
  writing_answer_ = answers_.Pop();
  HttpResponse& response = *writing_answer_->response;
  const bool is_last = read_mode_ != ReadMode::kRequests && answers_.empty();
  ConnectionOption option = ConnectionOption::kNone;
  if (is_last) {
    option = ConnectionOption::kClose;
  } else if (writing_answer_->asks_keep_alive) {
    option = ConnectionOption::kKeepAlive;
  }
  writing_head_ = FormatResponseHead(response, option, std::time(nullptr));
  const bool with_body = !writing_answer_->is_head_request && StatusAllowsBody(response.status);
  const std::array<asio::const_buffer, 2> message = {
      asio::buffer(writing_head_), with_body ? asio::buffer(response.body) : asio::const_buffer()};
  writing_ = true;
  write_deadline_ = DeadlineAfter(Now(), context_->options.write_timeout);
  ArmTimer();
  asio::async_write(socket_, message,
                    [self = shared_from_this()](const error_code& error, size_t) { self->OnWritten(error); });
}

void HttpConnection::WriteContinue() {
  // Not in front of answers to earlier requests; once they are written, OnWritten comes here again.
  if (writing_ || !answers_.empty()) return;
  static constexpr char kContinue[] = "HTTP/1.1 100 Continue\r\n\r\n";
  parser_->ContinueWasSent();
  writing_ = true;
  write_deadline_ = DeadlineAfter(Now(), context_->options.write_timeout);
  ArmTimer();
  asio::async_write(socket_, asio::buffer(kContinue, sizeof(kContinue) - 1),
                    [self = shared_from_this()](const error_code& error, size_t) { self->OnWritten(error); });
}

void HttpConnection::OnWritten(const error_code& error) {
  if (closed_) return;
  writing_ = false;
  writing_answer_.reset();
  write_deadline_ = TimePoint::max();
  if (error) return Close();
  if (read_mode_ != ReadMode::kRequests && answers_.empty()) return Linger();
  WriteNext();
  Parse();
}

// --- ending
// --------------------------------------------------------------------------------------------------------

void HttpConnection::Linger() {
  if (client_finished_) return Close();
  error_code ignored;
  ignored = socket_.shutdown(TcpSocket::shutdown_send, ignored);
  read_mode_ = ReadMode::kDiscard;
  buffer_.clear();
  read_deadline_ = DeadlineAfter(Now(), kLingerTime);
  ArmTimer();
  ReadMore();
}

void HttpConnection::DrainNow() {
  if (closed_ || read_mode_ != ReadMode::kRequests || parser_) return;
  if (!answers_.empty() || writing_) {
    read_mode_ = ReadMode::kWatch;
    return;
  }
  // Idle. But a request that has reached this machine is served, not lost: it may wait in the socket, or have
  // been read by an operation whose handler runs after this one. A read that can be cancelled has not got it;
  // OnRead comes here.
  error_code ignored;
  if (reading_) {
    ignored = socket_.cancel(ignored);
  } else if (socket_.available(ignored) > 0) {
    ReadMore();
  } else {
    Close();
  }
}

void HttpConnection::Close() {
  closed_ = true;
  client_gone_->store(true);
  error_code ignored;
  timer_.cancel(ignored);
  ignored = socket_.close(ignored);
  parser_.reset();
  answers_.Clear();
  place_.reset();
}

// One timer serves both deadlines. It is only moved when it would fire too late: a connection that serves
// request after request moves its deadline each time, but not its timer.
void HttpConnection::ArmTimer() {
  const TimePoint next = std::min(read_deadline_, write_deadline_);
  if (next >= timer_fires_) return;
  timer_fires_ = next;
  timer_.expires_at(next);
  timer_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error && !self->closed_) self->OnTimer();
  });
}

void HttpConnection::OnTimer() {
  timer_fires_ = TimePoint::max();
  const TimePoint now = Now();
  if (write_deadline_ <= now) return Close();
  if (read_deadline_ <= now) return OnReadTimeout();
  ArmTimer();
}

void HttpConnection::OnReadTimeout() {
  read_deadline_ = TimePoint::max();
  if (read_mode_ != ReadMode::kRequests || !parser_) return Close();
  const bool in_body = parser_->head_is_complete();
  const Duration limit = in_body ? context_->options.body_timeout : context_->options.header_timeout;
  FailRequest(
      408, absl::StrCat("the ", in_body ? "body" : "head",
                        " of the request did not arrive within the limit of ", Milliseconds(limit), " ms"));
  ReadMore();
}

}  // namespace waystone
