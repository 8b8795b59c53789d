// SPDX-License-Identifier: Apache-2.0
//
// Bytes to HttpRequest, one request an object. Beast's parser reads the tokens; this class decides what is
// acceptable and enforces every limit before memory is taken. It knows no socket, so the fuzz target drives
// the very code that serves. Stricter than Beast where leniency helps request smuggling: one Content-Length
// that is one number, never beside Transfer-Encoding, which must be exactly "chunked"; one Host. Trailers are
// checked and dropped. Thread-compatible. Memory: the body as it arrives, at most max_body_bytes, and the
// head, at most max_header_bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/basic_parser.hpp>

#include "net/byte_budget.h"
#include "net/http_server.h"

namespace waystone {

// Why a request was refused: the status of the answer and its text, which never repeats bytes of the request.
struct RequestError {
  int status = 400;
  std::string text;
};

class HttpRequestParser final : private boost::beast::http::basic_parser<true> {
 public:
  // Both must outlive the parser.
  HttpRequestParser(const HttpServerOptions& options, ByteBudget& body_budget);

  // Takes what it can from `bytes` and returns how many that were. The rest, fewer than max_header_bytes + 1,
  // must be given again with what follows it. Stops at the end of the request and at an error.
  size_t Feed(std::string_view bytes);

  bool head_is_complete() const { return head_complete_; }
  bool is_complete() const { return head_complete_ && !error_ && is_done(); }
  const std::optional<RequestError>& error() const { return error_; }

  // True while the client waits for "100 Continue": it asked for it and nothing of the body has come.
  bool awaits_continue() const;
  void ContinueWasSent() { expects_continue_ = false; }

  // From here on: once known, false before.
  bool is_head_request() const { return request_.method == "HEAD"; }
  bool is_http_1_0() const { return version_ == 10; }
  // Whether the client wants to go on with this connection; only when the head is complete.
  bool wants_keep_alive() const { return keep_alive(); }

  // The request and its share of the budget, when complete; once each. `peer`, `arrived` and `client_gone`
  // are the connection's to fill.
  HttpRequest TakeRequest() { return std::move(request_); }
  ByteBudget::Share TakeBodyShare() { return std::move(body_share_); }

 private:
  using StringView = boost::beast::string_view;
  using ErrorCode = boost::beast::error_code;

  void on_request_impl(boost::beast::http::verb method, StringView method_text, StringView target,
                       int version, ErrorCode& error) override;
  void on_response_impl(int status, StringView reason, int version, ErrorCode& error) override;
  void on_field_impl(boost::beast::http::field field, StringView name, StringView value,
                     ErrorCode& error) override;
  void on_header_impl(ErrorCode& error) override;
  void on_body_init_impl(boost::optional<std::uint64_t> const& length, ErrorCode& error) override;
  std::size_t on_body_impl(StringView body, ErrorCode& error) override;
  void on_chunk_header_impl(std::uint64_t size, StringView extension, ErrorCode& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t remain, StringView body, ErrorCode& error) override;
  void on_finish_impl(ErrorCode& error) override;

  void CheckField(boost::beast::http::field field, std::string_view value, ErrorCode& error);
  void FinishHead();
  void CheckUnfinished(size_t waiting_bytes);
  // A chunk's size line, or the last one and the trailers, must stay below max_header_bytes.
  void CountTailBytes(size_t bytes, ErrorCode& error);
  void Explain(const ErrorCode& error, std::string_view bytes);
  void Fail(int status, std::string text);
  // The same from within a callback of Beast, which stops at any error code.
  void Fail(int status, std::string text, ErrorCode& error);

  const HttpServerOptions& options_;
  std::optional<RequestError> error_;
  HttpRequest request_;
  std::string target_;
  ByteBudget::Share body_share_;
  uint64_t declared_bytes_ = 0;  // Content-Length
  size_t head_bytes_ = 0;
  size_t tail_bytes_ = 0;  // of the chunk header or trailers at hand
  size_t fields_ = 0;
  size_t chunks_ = 0;
  int version_ = 11;
  bool blank_line_skipped_ = false;
  bool head_complete_ = false;
  bool has_host_ = false;
  bool has_content_length_ = false;
  bool expects_continue_ = false;
};

}  // namespace waystone
