// SPDX-License-Identifier: Apache-2.0
#include "http/multipart.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

#include "base/status.h"
#include "net/utf8.h"

namespace waystone {
namespace {

constexpr size_t kMaxBoundaryLength = 70;  // RFC 2046 section 5.1.1

absl::string_view TrimBlanks(absl::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// A quoted string at the beginning of `*text`, consumed with its closing quote. A backslash stands for the
// quote or backslash after it and for itself before anything else: some clients send bare backslashes in file
// names.
std::optional<std::string> ConsumeQuoted(absl::string_view* text) {
  std::string value;
  for (size_t i = 1; i < text->size(); ++i) {
    char c = (*text)[i];
    if (c == '"') {
      text->remove_prefix(i + 1);
      return value;
    }
    if (c == '\\' && i + 1 < text->size() && ((*text)[i + 1] == '"' || (*text)[i + 1] == '\\'))
      c = (*text)[++i];
    value += c;
  }
  return std::nullopt;
}

// The value of the parameter `wanted` in "; name=value; name="value"", the first when repeated.
absl::StatusOr<std::optional<std::string>> FindParameter(absl::string_view parameters,
                                                         absl::string_view wanted) {
  std::optional<std::string> found;
  for (parameters = TrimBlanks(parameters); !parameters.empty(); parameters = TrimBlanks(parameters)) {
    if (!absl::ConsumePrefix(&parameters, ";"))
      return absl::InvalidArgumentError("a parameter does not begin with ;");
    parameters = TrimBlanks(parameters);
    if (parameters.empty()) break;
    const size_t equals = parameters.find_first_of("=;");
    if (equals == absl::string_view::npos || parameters[equals] == ';') {
      return absl::InvalidArgumentError("a parameter has no value");
    }
    const absl::string_view name = TrimBlanks(parameters.substr(0, equals));
    parameters = TrimBlanks(parameters.substr(equals + 1));
    std::string value;
    if (absl::StartsWith(parameters, "\"")) {
      std::optional<std::string> quoted = ConsumeQuoted(&parameters);
      if (!quoted.has_value()) return absl::InvalidArgumentError("a quoted parameter does not end");
      value = *std::move(quoted);
    } else {
      const absl::string_view token = parameters.substr(0, parameters.find(';'));
      parameters.remove_prefix(token.size());
      value = std::string(TrimBlanks(token));
    }
    if (!found.has_value() && absl::EqualsIgnoreCase(name, wanted)) found = std::move(value);
  }
  return found;
}

// A header value without its parameters, and these.
std::pair<absl::string_view, absl::string_view> SplitParameters(absl::string_view value) {
  const size_t semicolon = value.find(';');
  if (semicolon == absl::string_view::npos) return {TrimBlanks(value), {}};
  return {TrimBlanks(value.substr(0, semicolon)), value.substr(semicolon)};
}

absl::StatusOr<std::string> Boundary(absl::string_view content_type) {
  if (!IsMultipartFormData(content_type)) {
    return absl::InvalidArgumentError("the Content-Type is not multipart/form-data");
  }
  WAYSTONE_ASSIGN_OR_RETURN(std::optional<std::string> boundary,
                            FindParameter(SplitParameters(content_type).second, "boundary"));
  if (!boundary.has_value() || boundary->empty()) {
    return absl::InvalidArgumentError("the Content-Type has no boundary");
  }
  if (boundary->size() > kMaxBoundaryLength) {
    return absl::InvalidArgumentError(absl::StrCat("the boundary has ", boundary->size(),
                                                   " characters, the limit is ", kMaxBoundaryLength));
  }
  for (const unsigned char c : *boundary) {
    if (!absl::ascii_isalnum(c) && !absl::StrContains("'()+_,-./:=? ", static_cast<char>(c))) {
      return absl::InvalidArgumentError("the boundary holds a character that is not allowed in one");
    }
  }
  if (boundary->back() == ' ') return absl::InvalidArgumentError("the boundary ends in a space");
  return *std::move(boundary);
}

absl::Status ReadDisposition(absl::string_view value, MultipartPart* part) {
  const auto [kind, parameters] = SplitParameters(value);
  if (!absl::EqualsIgnoreCase(kind, "form-data")) {
    return absl::InvalidArgumentError("its Content-Disposition is not form-data");
  }
  WAYSTONE_ASSIGN_OR_RETURN(std::optional<std::string> name, FindParameter(parameters, "name"));
  WAYSTONE_ASSIGN_OR_RETURN(std::optional<std::string> filename, FindParameter(parameters, "filename"));
  if (!name.has_value()) return absl::InvalidArgumentError("its Content-Disposition has no name");
  part->name = *std::move(name);
  part->filename = std::move(filename).value_or("");
  if (!IsValidUtf8(part->name) || !IsValidUtf8(part->filename) || HasControlCharacter(part->name) ||
      HasControlCharacter(part->filename)) {
    return absl::InvalidArgumentError("its name or file name is not UTF-8 text");
  }
  return absl::OkStatus();
}

absl::Status ReadHeader(absl::string_view line, bool* has_disposition, MultipartPart* part) {
  const size_t colon = line.find(':');
  if (colon == absl::string_view::npos || colon == 0) {
    return absl::InvalidArgumentError("a line of its headers has no name");
  }
  const absl::string_view name = line.substr(0, colon);
  const absl::string_view value = TrimBlanks(line.substr(colon + 1));
  if (absl::EqualsIgnoreCase(name, "Content-Disposition")) {
    if (std::exchange(*has_disposition, true))
      return absl::InvalidArgumentError("it has two Content-Dispositions");
    return ReadDisposition(value, part);
  }
  if (absl::EqualsIgnoreCase(name, "Content-Type")) {
    if (!IsValidUtf8(value) || HasControlCharacter(value)) {
      return absl::InvalidArgumentError("its Content-Type is not text");
    }
    part->content_type = std::string(value);
  }
  if (absl::EqualsIgnoreCase(name, "Content-Transfer-Encoding") && !absl::EqualsIgnoreCase(value, "binary") &&
      !absl::EqualsIgnoreCase(value, "8bit") && !absl::EqualsIgnoreCase(value, "7bit")) {
    return absl::InvalidArgumentError(
        "it has a Content-Transfer-Encoding, which RFC 7578 deprecates: send the bytes as they are");
  }
  return absl::OkStatus();
}

// One part: header lines, a blank line, the body.
absl::StatusOr<MultipartPart> ReadPart(absl::string_view text, const MultipartLimits& limits) {
  const absl::string_view head =
      text.substr(0, text.substr(0, limits.max_part_header_bytes + 2).find("\r\n\r\n"));
  if (head.size() == text.size()) {
    if (text.size() <= limits.max_part_header_bytes) {
      return absl::InvalidArgumentError("its headers do not end in a blank line");
    }
    return absl::OutOfRangeError(
        absl::StrCat("its headers exceed the limit of ", limits.max_part_header_bytes, " bytes"));
  }
  MultipartPart part;
  bool has_disposition = false;
  for (const absl::string_view line : absl::StrSplit(head, "\r\n")) {
    WAYSTONE_RETURN_IF_ERROR(ReadHeader(line, &has_disposition, &part));
  }
  if (!has_disposition) return absl::InvalidArgumentError("it has no Content-Disposition");
  part.body = text.substr(head.size() + 4);
  return part;
}

// What stands at a boundary, after its "--boundary": a further part, or the end.
enum class AfterBoundary { kPart, kEnd, kNeither };

AfterBoundary ConsumeAfterBoundary(absl::string_view* text) {
  if (absl::StartsWith(*text, "--")) return AfterBoundary::kEnd;
  absl::string_view rest = *text;
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
  if (!absl::ConsumePrefix(&rest, "\r\n")) return AfterBoundary::kNeither;
  *text = rest;
  return AfterBoundary::kPart;
}

absl::StatusOr<std::vector<MultipartPart>> ReadParts(absl::string_view rest, absl::string_view delimiter,
                                                     const MultipartLimits& limits) {
  std::vector<MultipartPart> parts;
  for (;;) {
    const AfterBoundary next = ConsumeAfterBoundary(&rest);
    if (next == AfterBoundary::kEnd) return parts;
    if (next == AfterBoundary::kNeither) {
      return absl::InvalidArgumentError(
          absl::StrCat("after part ", parts.size(), " the boundary is followed by neither a line nor --"));
    }
    if (parts.size() >= limits.max_parts) {
      return absl::OutOfRangeError(absl::StrCat("more parts than the limit of ", limits.max_parts));
    }
    const size_t end = rest.find(delimiter);
    if (end == absl::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("part ", parts.size() + 1, " is not ended by the boundary"));
    }
    absl::StatusOr<MultipartPart> part = ReadPart(rest.substr(0, end), limits);
    if (!part.ok()) return Annotate(part.status(), absl::StrCat("part ", parts.size() + 1));
    parts.push_back(*std::move(part));
    rest.remove_prefix(end + delimiter.size());
  }
}

}  // namespace

bool IsMultipartFormData(absl::string_view content_type) {
  return absl::EqualsIgnoreCase(SplitParameters(content_type).first, "multipart/form-data");
}

absl::StatusOr<std::vector<MultipartPart>> ParseMultipart(absl::string_view content_type,
                                                          absl::string_view body,
                                                          const MultipartLimits& limits) {
  absl::StatusOr<std::string> boundary = Boundary(content_type);
  if (!boundary.ok()) return Annotate(boundary.status(), "multipart body");
  const std::string delimiter = absl::StrCat("\r\n--", *boundary);
  absl::string_view rest = body;
  if (!absl::ConsumePrefix(&rest, absl::string_view(delimiter).substr(2))) {
    const size_t first = rest.find(delimiter);
    if (first == absl::string_view::npos) {
      return absl::InvalidArgumentError("multipart body: the boundary of the Content-Type does not occur");
    }
    rest.remove_prefix(first + delimiter.size());
  }
  absl::StatusOr<std::vector<MultipartPart>> parts = ReadParts(rest, delimiter, limits);
  if (!parts.ok()) return Annotate(parts.status(), "multipart body");
  return parts;
}

}  // namespace waystone
