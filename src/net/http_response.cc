// SPDX-License-Identifier: Apache-2.0
#include "net/http_response.h"

#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include <boost/beast/http/status.hpp>

#include "net/utf8.h"

namespace waystone {
namespace {

std::string JsonEscape(absl::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      escaped += '\\';
      escaped += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&escaped, "\\u%04x", static_cast<unsigned>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

bool IsToken(absl::string_view name) {
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && !absl::StrContains("!#$%&'*+-.^_`|~", c))
      return false;
  }
  return !name.empty();
}

// Headers that say where a message ends, or that the server writes itself.
bool IsServersOwn(absl::string_view name) {
  for (const absl::string_view own :
       {"content-length", "transfer-encoding", "connection", "keep-alive", "trailer", "upgrade",
        "content-type", "date", "server", "x-content-type-options"}) {
    if (absl::EqualsIgnoreCase(name, own)) return true;
  }
  return false;
}

void AppendStatusLine(int status, std::string* head) {
  const boost::beast::http::status known = boost::beast::http::int_to_status(static_cast<unsigned>(status));
  absl::string_view reason;
  if (known != boost::beast::http::status::unknown) {
    const auto text = boost::beast::http::obsolete_reason(known);
    reason = absl::string_view(text.data(), text.size());
  }
  absl::StrAppend(head, "HTTP/1.1 ", status, " ", reason, "\r\n");
}

// The date changes once a second, formatting it for each answer would not be free.
const std::string& CachedHttpDate(std::time_t now) {
  thread_local std::time_t formatted_for = -1;
  thread_local std::string text;
  if (formatted_for != now) {
    text = HttpDate(now);
    formatted_for = now;
  }
  return text;
}

}  // namespace

HttpResponse ServerErrorResponse(int status, absl::string_view text) {
  if (!IsValidUtf8(text)) text = "the request could not be served";
  HttpResponse response;
  response.status = status;
  response.body = absl::StrCat("{\"error\":\"", JsonEscape(text), "\"}");
  return response;
}

bool StatusAllowsBody(int status) { return status >= 200 && status != 204 && status != 304; }

std::string FormatResponseHead(const HttpResponse& response, ConnectionOption connection, std::time_t now) {
  std::string head;
  head.reserve(256);
  AppendStatusLine(response.status, &head);
  absl::StrAppend(&head, "Server: waystone\r\nDate: ", CachedHttpDate(now), "\r\n",
                  "X-Content-Type-Options: nosniff\r\n");
  if (StatusAllowsBody(response.status)) {
    if (!response.content_type.empty() && !HasControlCharacter(response.content_type)) {
      absl::StrAppend(&head, "Content-Type: ", response.content_type, "\r\n");
    }
    absl::StrAppend(&head, "Content-Length: ", response.body.size(), "\r\n");
  }
  for (const auto& [name, value] : response.headers) {
    if (!IsToken(name) || HasControlCharacter(value) || IsServersOwn(name)) continue;
    absl::StrAppend(&head, name, ": ", value, "\r\n");
  }
  if (connection == ConnectionOption::kClose) head += "Connection: close\r\n";
  if (connection == ConnectionOption::kKeepAlive) head += "Connection: keep-alive\r\n";
  head += "\r\n";
  return head;
}

std::string HttpDate(std::time_t time) {
  static constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  gmtime_r(&time, &utc);
  return absl::StrFormat("%s, %02d %s %04d %02d:%02d:%02d GMT", kDays[static_cast<size_t>(utc.tm_wday)],
                         utc.tm_mday, kMonths[static_cast<size_t>(utc.tm_mon)], utc.tm_year + 1900,
                         utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace waystone
