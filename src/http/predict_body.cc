// SPDX-License-Identifier: Apache-2.0
#include "http/predict_body.h"

#include <exception>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"

#include "base/status.h"
#include "http/predict_body_reader.h"

namespace waystone {
namespace {

// Takes "data:image/png;base64," away; leaves text without such a prefix as it is.
absl::Status ConsumeDataUrl(absl::string_view* text) {
  if (!absl::StartsWithIgnoreCase(*text, "data:")) return absl::OkStatus();
  // A prefix is short; looking no further keeps a long text without a comma cheap.
  constexpr size_t kMaxPrefix = 128;
  const size_t comma = text->substr(0, kMaxPrefix).find(',');
  if (comma == absl::string_view::npos || !absl::StartsWithIgnoreCase(*text, "data:image/") ||
      !absl::EndsWithIgnoreCase(text->substr(0, comma), ";base64")) {
    return absl::InvalidArgumentError(
        "input is a data URL that is not of the form data:image/...;base64,...");
  }
  text->remove_prefix(comma + 1);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> DecodeBase64Picture(absl::string_view text, size_t max_bytes) {
  WAYSTONE_RETURN_IF_ERROR(ConsumeDataUrl(&text));
  size_t digits = 0;
  for (const unsigned char c : text) digits += absl::ascii_isspace(c) || c == '=' ? 0 : 1;
  const size_t bytes = digits / 4 * 3 + (digits % 4) * 3 / 4;
  if (bytes > max_bytes) {
    return absl::OutOfRangeError(
        absl::StrCat("input is a picture of ", bytes, " bytes, above the limit of ", max_bytes, " bytes"));
  }
  std::string picture;
  if (absl::StrContains(text, '.') || !absl::Base64Unescape(text, &picture)) {
    return absl::InvalidArgumentError("input is a string that is not base64 of a picture");
  }
  if (picture.empty()) return absl::InvalidArgumentError("input is an empty picture");
  return picture;
}

absl::StatusOr<PredictInput> ParsePredictBody(absl::string_view json, const PredictBodyLimits& limits) {
  try {
    PredictBodyReader reader(limits);
    if (!nlohmann::json::sax_parse(json.data(), json.data() + json.size(), &reader)) {
      return Annotate(reader.status(), "predict request");
    }
    absl::StatusOr<PredictInput> input = std::move(reader).TakeInput();
    if (!input.ok()) return Annotate(input.status(), "predict request");
    return input;
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("predict request: ", error.what()));
  }
}

}  // namespace waystone
