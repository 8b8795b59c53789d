// SPDX-License-Identifier: Apache-2.0
//
// Content negotiation (RFC 9110, 12.5.1) between the forms an answer can have. Thread-safe (no state).
#pragma once

#include <optional>
#include <string>

namespace waystone {

enum class AnswerForm { kJson, kJpeg, kPng, kWebp };

// The form the client likes best: highest q first, then the order it wrote them in, JSON for "*/*" and for no
// header, JPEG for "image/*". Nothing when it accepts none of them.
std::optional<AnswerForm> ChooseAnswerForm(const std::string& accept);
const char* ContentType(AnswerForm form);

// Whether the client names HTML ("text/html" or "text/*") and does not like JSON better. "*/*" alone does not
// count: it is what programs send, browsers name HTML.
bool PrefersHtml(const std::string& accept);

}  // namespace waystone
