// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"

#include <exception>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include <boost/asio/connect.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "base/log.h"
#include "base/status.h"
#include "net/asio_types.h"
#include "net/utf8.h"

namespace waystone {
namespace {

namespace http = boost::beast::http;

// The steps of one exchange as a chain of callbacks on its own io_context, which runs no longer than the time
// limit.
class Exchange {
 public:
  Exchange(const std::string& host, uint16_t port, http::request<http::string_body> request,
           uint64_t max_response_bytes)
      : resolver_(io_), socket_(io_), host_(host), port_(port), request_(std::move(request)) {
    parser_.body_limit(max_response_bytes);
    parser_.skip(request_.method() == http::verb::head);
  }

  absl::StatusOr<HttpClientResponse> Run(Duration timeout) {
    Begin();
    io_.run_for(timeout);
    if (!finished_)
      return absl::DeadlineExceededError(
          absl::StrCat("no complete answer within the time limit while ", step_));
    if (error_ == http::error::body_limit)
      return absl::OutOfRangeError("the answer's body is longer than the limit");
    if (error_) return absl::UnavailableError(absl::StrCat(step_, ": ", error_.message()));
    return TakeResponse();
  }

 private:
  void Begin() {
    error_code not_an_address;
    const asio::ip::address address = asio::ip::make_address(host_, not_an_address);
    if (!not_an_address) {
      step_ = "connecting";
      socket_.async_connect(tcp::endpoint(address, port_), [this](const error_code& error) { Write(error); });
      return;
    }
    step_ = "resolving the name";
    resolver_.async_resolve(host_, absl::StrCat(port_),
                            [this](const error_code& error, const tcp::resolver::results_type& found) {
                              if (error) return Finish(error);
                              step_ = "connecting";
                              asio::async_connect(
                                  socket_, found,
                                  [this](const error_code& failed, const tcp::endpoint&) { Write(failed); });
                            });
  }

  void Write(const error_code& error) {
    if (error) return Finish(error);
    step_ = "writing the request and reading the answer";
    // Both at once: a server may refuse a long request before it has read it. A failed write shows in the
    // read.
    http::async_write(socket_, request_, [](const error_code&, size_t) {});
    // The head by itself: Beast's parser forgets that a body is too long when it may go on to read it at
    // once.
    http::async_read_header(socket_, buffer_, parser_, [this](const error_code& failed, size_t) {
      if (failed || parser_.is_done()) return Finish(failed);
      http::async_read(socket_, buffer_, parser_, [this](const error_code& cut, size_t) { Finish(cut); });
    });
  }

  void Finish(const error_code& error) {
    error_ = error;
    finished_ = true;
    io_.stop();
  }

  HttpClientResponse TakeResponse() {
    HttpClientResponse response;
    auto message = parser_.release();
    response.status = static_cast<int>(message.result_int());
    for (const auto& field : message) {
      response.headers.emplace_back(
          absl::AsciiStrToLower(absl::string_view(field.name_string().data(), field.name_string().size())),
          std::string(field.value()));
    }
    response.body = std::move(message.body());
    return response;
  }

  asio::io_context io_;
  tcp::resolver resolver_;
  tcp::socket socket_;
  const std::string host_;
  const uint16_t port_;
  http::request<http::string_body> request_;
  http::response_parser<http::string_body> parser_;
  boost::beast::flat_buffer buffer_{size_t{64} << 10};
  const char* step_ = "connecting";
  error_code error_;
  bool finished_ = false;
};

absl::StatusOr<http::request<http::string_body>> MakeRequest(
    const std::string& host, uint16_t port, const std::string& method, const std::string& target,
    const std::vector<std::pair<std::string, std::string>>& headers, std::string body) {
  if (method.empty() || HasControlCharacter(method) || method.find(' ') != std::string::npos) {
    return absl::InvalidArgumentError("the method is not one word");
  }
  if (target.empty() || HasControlCharacter(target) || target.find(' ') != std::string::npos) {
    return absl::InvalidArgumentError("the target is empty or holds a space or a control character");
  }
  http::request<http::string_body> request;
  request.version(11);
  request.method_string(method);
  request.target(target);
  const bool is_ipv6 = host.find(':') != std::string::npos;
  request.set(http::field::host,
              is_ipv6 ? absl::StrCat("[", host, "]:", port) : absl::StrCat(host, ":", port));
  for (const auto& [name, value] : headers) {
    if (HasControlCharacter(name) || HasControlCharacter(value) || name.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the header \"", LogSafe(name), "\" holds a control character"));
    }
    request.insert(name, value);
  }
  request.set(http::field::connection, "close");
  request.body() = std::move(body);
  request.prepare_payload();
  return request;
}

}  // namespace

const std::string& HttpClientResponse::header(const std::string& name) const {
  static const std::string kNone;
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return kNone;
}

absl::StatusOr<HttpClientResponse> HttpFetch(const std::string& host, uint16_t port,
                                             const std::string& method, const std::string& target,
                                             const std::vector<std::pair<std::string, std::string>>& headers,
                                             std::string body, Duration timeout,
                                             uint64_t max_response_bytes) {
  const std::string what = absl::StrCat("HTTP ", LogSafe(method), " to ", LogSafe(host), " port ", port);
  try {
    absl::StatusOr<http::request<http::string_body>> request =
        MakeRequest(host, port, method, target, headers, std::move(body));
    if (!request.ok()) return Annotate(request.status(), what);
    absl::StatusOr<HttpClientResponse> response =
        Exchange(host, port, *std::move(request), max_response_bytes).Run(timeout);
    if (!response.ok()) return Annotate(response.status(), what);
    return response;
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat(what, ": ", error.what()));
  }
}

}  // namespace waystone
