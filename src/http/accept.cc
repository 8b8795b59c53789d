// SPDX-License-Identifier: Apache-2.0
#include "http/accept.h"

#include <string_view>
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

}  // namespace

std::optional<AnswerForm> ChooseAnswerForm(const std::string& accept) {
  if (absl::StripAsciiWhitespace(accept).empty()) return AnswerForm::kJson;
  std::optional<AnswerForm> best;
  double best_quality = 0;
  for (const absl::string_view range : absl::StrSplit(accept, ',')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(range, ';');
    const std::string type = absl::AsciiStrToLower(absl::StripAsciiWhitespace(parts[0]));
    double quality = 1;
    for (size_t i = 1; i < parts.size(); ++i) {
      const absl::string_view parameter = absl::StripAsciiWhitespace(parts[i]);
      // An unreadable q counts as 1: the client named the type, after all.
      if (absl::StartsWithIgnoreCase(parameter, "q=") && !absl::SimpleAtod(parameter.substr(2), &quality))
        quality = 1;
    }
    const std::optional<AnswerForm> form = FormOf(type);
    if (form && quality > best_quality) {
      best = form;
      best_quality = quality;
    }
  }
  return best;
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
