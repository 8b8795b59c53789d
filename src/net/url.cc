// SPDX-License-Identifier: Apache-2.0
#include "net/url.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include "base/status.h"
#include "net/utf8.h"

namespace waystone {
namespace {

absl::Status CheckText(absl::string_view what, absl::string_view decoded) {
  if (HasControlCharacter(decoded)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the ", what, " of the request target holds a control character"));
  }
  if (!IsValidUtf8(decoded)) {
    return absl::InvalidArgumentError(absl::StrCat("the ", what, " of the request target is not UTF-8"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> DecodePath(absl::string_view raw) {
  if (absl::StrContains(absl::AsciiStrToLower(raw), "%2f")) {
    return absl::InvalidArgumentError("the path of the request target holds an encoded slash");
  }
  WAYSTONE_ASSIGN_OR_RETURN(std::string path, PercentDecode(raw, /*plus_is_space=*/false));
  WAYSTONE_RETURN_IF_ERROR(CheckText("path", path));
  for (const absl::string_view segment : absl::StrSplit(path, '/')) {
    if (segment == "." || segment == "..") {
      return absl::InvalidArgumentError("the path of the request target holds a dot segment");
    }
  }
  return path;
}

absl::StatusOr<std::map<std::string, std::string>> DecodeQuery(absl::string_view raw) {
  std::map<std::string, std::string> query;
  for (const absl::string_view item : absl::StrSplit(raw, '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(item, absl::MaxSplits('=', 1));
    WAYSTONE_ASSIGN_OR_RETURN(std::string name, PercentDecode(pair.first, /*plus_is_space=*/true));
    WAYSTONE_ASSIGN_OR_RETURN(std::string value, PercentDecode(pair.second, /*plus_is_space=*/true));
    WAYSTONE_RETURN_IF_ERROR(CheckText("query", name));
    WAYSTONE_RETURN_IF_ERROR(CheckText("query", value));
    query.insert_or_assign(std::move(name), std::move(value));
  }
  return query;
}

// What follows scheme and authority in an absolute-form target; nothing when it is not of that form.
bool ConsumeSchemeAndAuthority(absl::string_view* target) {
  for (const absl::string_view scheme : {"http://", "https://"}) {
    if (!absl::StartsWithIgnoreCase(*target, scheme)) continue;
    const absl::string_view rest = target->substr(scheme.size());
    const size_t end = rest.find_first_of("/?");
    const absl::string_view authority = rest.substr(0, end);
    if (authority.empty()) return false;
    *target = rest.substr(authority.size());
    return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<std::string> PercentDecode(absl::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (text.size() - i < 3 || !absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 1])) ||
          !absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 2]))) {
        return absl::InvalidArgumentError("a % in the request target is not followed by two hex digits");
      }
      decoded += absl::HexStringToBytes(text.substr(i + 1, 2));
      i += 2;
    } else {
      decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

absl::StatusOr<RequestTarget> ParseRequestTarget(absl::string_view method, absl::string_view target) {
  if (target == "*" && method == "OPTIONS") return RequestTarget{"/", {}};
  if (absl::StrContains(target, '#')) {
    return absl::InvalidArgumentError("the request target holds a fragment");
  }
  std::string rooted;
  if (ConsumeSchemeAndAuthority(&target) && !absl::StartsWith(target, "/")) {
    rooted = absl::StrCat("/", target);
    target = rooted;
  }
  if (!absl::StartsWith(target, "/")) {
    return absl::InvalidArgumentError(
        "the request target is neither a path that begins with / nor an http URL");
  }
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(target, absl::MaxSplits('?', 1));
  RequestTarget result;
  WAYSTONE_ASSIGN_OR_RETURN(result.path, DecodePath(parts.first));
  WAYSTONE_ASSIGN_OR_RETURN(result.query, DecodeQuery(parts.second));
  return result;
}

}  // namespace waystone
