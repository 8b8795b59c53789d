// SPDX-License-Identifier: Apache-2.0
#include "net/http_request_parser.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

#include "net/url.h"

namespace waystone {
namespace {

namespace http = boost::beast::http;

// A declared length is believed, and its memory taken at once, only after this much of the body has arrived.
constexpr size_t kTrustedBodyBytes = size_t{1} << 20;

// The shortest end of a chunked body is "0\r\n\r\n": with fewer bytes at hand there is nothing to gain, and
// Beast's parser asserts that a last chunk is not shown to it again with fewer.
constexpr size_t kShortestChunkedEnd = 5;

std::string_view ToStd(boost::beast::string_view text) { return {text.data(), text.size()}; }

// True for a request line that ends in "HTTP/" digit "." digit: another version, not another protocol.
bool NamesHttpVersion(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find('\r'));
  const size_t at = line.rfind(' ');
  if (at == std::string_view::npos || line.size() - at != 9 || line.substr(at + 1, 5) != "HTTP/")
    return false;
  return absl::ascii_isdigit(static_cast<unsigned char>(line[at + 6])) && line[at + 7] == '.' &&
         absl::ascii_isdigit(static_cast<unsigned char>(line[at + 8]));
}

}  // namespace

HttpRequestParser::HttpRequestParser(const HttpServerOptions& options, ByteBudget& body_budget)
    : options_(options), body_share_(body_budget) {
  header_limit(static_cast<std::uint32_t>(options.max_header_bytes));
  body_limit(options.max_body_bytes);
}

size_t HttpRequestParser::Feed(std::string_view bytes) {
  size_t used = 0;
  // A blank line before the request line is skipped, as RFC 9112 section 2.2 advises.
  if (!got_some() && !blank_line_skipped_ && bytes.substr(0, 1) == "\r") {
    if (bytes.size() == 1) return 0;
    if (bytes[1] == '\n') used = 2;
    blank_line_skipped_ = true;
  }
  while (used < bytes.size() && !error_ && !(head_complete_ && is_done())) {
    const std::string_view rest = bytes.substr(used);
    const bool head_was_complete = head_complete_;
    if (head_was_complete && chunked() && rest.size() < kShortestChunkedEnd) break;
    ErrorCode error;
    const size_t taken = put(boost::asio::const_buffer(rest.data(), rest.size()), error);
    used += taken;
    if (!head_was_complete) head_bytes_ += taken;
    if (error == http::error::need_more) {
      CheckUnfinished(rest.size() - taken);
      break;
    }
    if (error) {
      Explain(error, rest);
    } else if (!head_was_complete && head_complete_) {
      FinishHead();
    }
  }
  return used;
}

bool HttpRequestParser::awaits_continue() const {
  return head_complete_ && !error_ && !is_done() && expects_continue_ && request_.body.empty() &&
         chunks_ == 0;
}

void HttpRequestParser::on_request_impl(http::verb, StringView method_text, StringView target, int version,
                                        ErrorCode&) {
  request_.method = std::string(ToStd(method_text));
  target_ = std::string(ToStd(target));
  version_ = version;
}

void HttpRequestParser::on_response_impl(int, StringView, int, ErrorCode& error) {
  error = http::error::bad_method;
}

void HttpRequestParser::on_field_impl(http::field field, StringView name, StringView value,
                                      ErrorCode& error) {
  if (++fields_ > options_.max_header_count) {
    return Fail(
        431, absl::StrCat("the request has more header fields than the limit of ", options_.max_header_count),
        error);
  }
  if (head_complete_) return CountTailBytes(name.size() + value.size(), error);
  CheckField(field, ToStd(value), error);
  if (error) return;
  request_.headers.emplace_back(absl::AsciiStrToLower(absl::string_view(name.data(), name.size())),
                                std::string(ToStd(value)));
}

void HttpRequestParser::CheckField(http::field field, std::string_view value, ErrorCode& error) {
  const absl::string_view text(value.data(), value.size());
  switch (field) {
    case http::field::host:
      if (has_host_) return Fail(400, "the request has more than one Host", error);
      has_host_ = true;
      return;
    case http::field::content_length:
      if (has_content_length_) return Fail(400, "the request has more than one Content-Length", error);
      has_content_length_ = true;
      if (!std::all_of(text.begin(), text.end(), [](unsigned char c) { return absl::ascii_isdigit(c); }) ||
          !absl::SimpleAtoi(text, &declared_bytes_)) {
        return Fail(400, "Content-Length is not one decimal number", error);
      }
      return;
    case http::field::transfer_encoding:
      if (version_ == 10) return Fail(400, "Transfer-Encoding is not part of HTTP/1.0", error);
      if (has_content_length_)
        return Fail(400, "the request has both Content-Length and Transfer-Encoding", error);
      if (!absl::EqualsIgnoreCase(text, "chunked")) {
        return Fail(501, "the only transfer encoding that is supported is chunked", error);
      }
      return;
    case http::field::expect:
      if (version_ == 10) return;
      if (!absl::EqualsIgnoreCase(text, "100-continue")) {
        return Fail(417, "the only expectation that can be met is 100-continue", error);
      }
      expects_continue_ = true;
      return;
    default:
      return;
  }
}

void HttpRequestParser::on_header_impl(ErrorCode&) { head_complete_ = true; }

void HttpRequestParser::FinishHead() {
  // The body may be taken in one go; up to here the size of the head had to be known exactly.
  eager(true);
  if (head_bytes_ > options_.max_header_bytes) return CheckUnfinished(0);
  if (version_ == 11 && !has_host_) return Fail(400, "an HTTP/1.1 request must have a Host");
  if (request_.method == "CONNECT") return Fail(501, "the method CONNECT is not supported");
  absl::StatusOr<RequestTarget> target = ParseRequestTarget(request_.method, target_);
  if (!target.ok()) return Fail(400, std::string(target.status().message()));
  request_.path = std::move(target->path);
  request_.query = std::move(target->query);
}

void HttpRequestParser::on_body_init_impl(boost::optional<std::uint64_t> const& length, ErrorCode&) {
  if (length) request_.body.reserve(static_cast<size_t>(std::min<uint64_t>(*length, kTrustedBodyBytes / 16)));
}

std::size_t HttpRequestParser::on_body_impl(StringView body, ErrorCode& error) {
  if (!body_share_.Add(body.size())) {
    Fail(503,
         absl::StrCat("the request bodies in flight have reached the limit of ",
                      options_.max_body_bytes_in_flight, " bytes"),
         error);
    return 0;
  }
  std::string& whole = request_.body;
  if (whole.size() >= kTrustedBodyBytes && has_content_length_)
    whole.reserve(static_cast<size_t>(declared_bytes_));
  whole.append(body.data(), body.size());
  return body.size();
}

void HttpRequestParser::on_chunk_header_impl(std::uint64_t size, StringView extension, ErrorCode& error) {
  tail_bytes_ = 0;
  CountTailBytes(extension.size(), error);
  if (error) return;
  if (size > 0 && ++chunks_ > options_.max_chunks) {
    Fail(413, absl::StrCat("the body has more chunks than the limit of ", options_.max_chunks), error);
  }
}

std::size_t HttpRequestParser::on_chunk_body_impl(std::uint64_t, StringView body, ErrorCode& error) {
  return on_body_impl(body, error);
}

void HttpRequestParser::on_finish_impl(ErrorCode&) {}

void HttpRequestParser::CheckUnfinished(size_t waiting_bytes) {
  const size_t limit = options_.max_header_bytes;
  if (head_complete_ && head_bytes_ <= limit) {
    // Only a chunk's size line or the trailers can wait: everything else of a body is taken as it comes.
    ErrorCode ignored;
    tail_bytes_ = 0;
    return CountTailBytes(waiting_bytes, ignored);
  }
  if (head_complete_ || head_bytes_ + waiting_bytes >= limit) {
    Fail(431, absl::StrCat("the head of the request exceeds the limit of ", limit, " bytes"));
  }
}

void HttpRequestParser::CountTailBytes(size_t bytes, ErrorCode& error) {
  tail_bytes_ += bytes;
  if (tail_bytes_ < options_.max_header_bytes) return;
  Fail(431,
       absl::StrCat("a chunk header or the trailers exceed the limit of ", options_.max_header_bytes,
                    " bytes"),
       error);
}

void HttpRequestParser::Explain(const ErrorCode& error, std::string_view bytes) {
  if (error_) return;
  if (error == http::error::header_limit)
    return Fail(431, absl::StrCat("the head of the request exceeds the limit of ", options_.max_header_bytes,
                                  " bytes"));
  if (error == http::error::body_limit) {
    const std::string limit = absl::StrCat("the limit of ", options_.max_body_bytes, " bytes");
    if (!has_content_length_) return Fail(413, absl::StrCat("the chunked body exceeds ", limit));
    return Fail(413, absl::StrCat("the body of ", declared_bytes_, " bytes exceeds ", limit));
  }
  if (error == http::error::bad_version && NamesHttpVersion(bytes)) {
    return Fail(505, "the versions of HTTP that are supported are 1.0 and 1.1");
  }
  if (error == http::error::bad_content_length) {
    return Fail(400, "Content-Length is not one decimal number, or stands beside Transfer-Encoding");
  }
  if (error == http::error::bad_transfer_encoding) {
    return Fail(400, "Transfer-Encoding is repeated, or stands beside Content-Length");
  }
  if (error == http::error::bad_chunk || error == http::error::bad_chunk_extension) {
    return Fail(400, "the chunked body is malformed");
  }
  if (error == http::error::bad_field || error == http::error::bad_value) {
    return Fail(400, "a header field is malformed");
  }
  if (error == http::error::bad_line_ending) return Fail(400, "a line does not end in CR LF");
  return Fail(400, "the request line is malformed");
}

void HttpRequestParser::Fail(int status, std::string text) {
  if (!error_) error_ = RequestError{status, std::move(text)};
}

void HttpRequestParser::Fail(int status, std::string text, ErrorCode& error) {
  Fail(status, std::move(text));
  error = http::error::bad_field;
}

}  // namespace waystone
