// SPDX-License-Identifier: Apache-2.0
#include "http/accept.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace waystone {
namespace {

std::optional<AnswerForm> FormOf(std::string_view type) {
  if (type == "application/json" || type == "application/*" || type == "*/*") return AnswerForm::kJson;
  if (type == "image/jpeg" || type == "image/*") return AnswerForm::kJpeg;
  if (type == "image/png") return AnswerForm::kPng;
  if (type == "image/webp") return AnswerForm::kWebp;
  return std::nullopt;
}

// One of the header's ranges; `type` in lower case and without parameters.
struct MediaRange {
  std::string type;
  double quality = 1;
};

std::vector<MediaRange> ParseAccept(const std::string& accept) {
  std::vector<MediaRange> ranges;
  for (const absl::string_view range : absl::StrSplit(accept, ',')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(range, ';');
    MediaRange parsed = {absl::AsciiStrToLower(absl::StripAsciiWhitespace(parts[0])), 1};
    for (size_t i = 1; i < parts.size(); ++i) {
      const absl::string_view parameter = absl::StripAsciiWhitespace(parts[i]);
      // An unreadable q counts as 1: the client named the type, after all.
      if (absl::StartsWithIgnoreCase(parameter, "q=") &&
          !absl::SimpleAtod(parameter.substr(2), &parsed.quality))
        parsed.quality = 1;
    }
    ranges.push_back(std::move(parsed));
  }
  return ranges;
}

}  // namespace

std::optional<AnswerForm> ChooseAnswerForm(const std::string& accept) {
  if (absl::StripAsciiWhitespace(accept).empty()) return AnswerForm::kJson;
  std::optional<AnswerForm> best;
  double best_quality = 0;
  for (const MediaRange& range : ParseAccept(accept)) {
    const std::optional<AnswerForm> form = FormOf(range.type);
    if (form && range.quality > best_quality) {
      best = form;
      best_quality = range.quality;
    }
  }
  return best;
}

bool PrefersHtml(const std::string& accept) {
  bool html = false;
  double best_quality = 0;
  for (const MediaRange& range : ParseAccept(accept)) {
    const bool is_html = range.type == "text/html" || range.type == "text/*";
    if (!is_html && FormOf(range.type) != AnswerForm::kJson) continue;
    if (range.type == "*/*" || range.quality <= best_quality) continue;
    html = is_html;
    best_quality = range.quality;
  }
  return html;
}

const char* ContentType(AnswerForm form) {
  switch (form) {
    case AnswerForm::kJson:
      return "application/json";
    case AnswerForm::kJpeg:
      return "image/jpeg";
    case AnswerForm::kPng:
      return "image/png";
    case AnswerForm::kWebp:
      return "image/webp";
  }
  return "application/json";
}

}  // namespace waystone
