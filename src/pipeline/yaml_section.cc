// SPDX-License-Identifier: Apache-2.0
#include "pipeline/yaml_section.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "base/log.h"
#include "pipeline/plain_text.h"

namespace waystone {
namespace {

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// Single insertions, deletions and replacements between two short words (Levenshtein).
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

// `; did you mean "key"?` for a key near enough to be meant, else nothing.
std::string Suggestion(std::string_view key, std::span<const std::string_view> known) {
  constexpr size_t kLongestKey = 64;
  if (key.size() > kLongestKey) return "";
  std::string_view nearest;
  size_t least = std::max<size_t>(2, key.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    if (const size_t distance = EditDistance(key, candidate); distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : absl::StrCat("; did you mean \"", View(nearest), "\"?");
}

std::string Shown(const YamlNode& node) {
  constexpr size_t kShownBytes = 64;
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "empty";
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a mapping";
    case YamlNode::Kind::kScalar:
      break;
  }
  const std::string text = LogSafe(node.text.substr(0, kShownBytes));
  return node.quoted ? absl::StrCat("\"", text, "\"") : text;
}

bool ReadWhole(const YamlNode& node, YamlSection::Range range, int* value) {
  return node.kind == YamlNode::Kind::kScalar && !node.quoted && absl::SimpleAtoi(node.text, value) &&
         *value >= range.least && *value <= range.most;
}

bool ReadNumber(const YamlNode& node, YamlSection::Range range, float* value) {
  double number = 0;
  if (node.kind != YamlNode::Kind::kScalar || node.quoted || !absl::SimpleAtod(node.text, &number))
    return false;
  if (!std::isfinite(number) || number < range.least || number > range.most) return false;
  *value = static_cast<float>(number);
  return true;
}

bool ReadText(const YamlNode& node, size_t max_bytes, std::string* value) {
  if (node.kind != YamlNode::Kind::kScalar) return false;
  *value = std::string(absl::StripTrailingAsciiWhitespace(node.text));
  return !value->empty() && value->size() <= max_bytes && IsPlainText(*value);
}

std::string Between(YamlSection::Range range) { return absl::StrCat(range.least, " to ", range.most); }

std::string Lengths(YamlSection::Count count) {
  return count.least == count.most ? absl::StrCat(count.least)
                                   : absl::StrCat(count.least, " to ", count.most);
}

std::string TextWanted(size_t max_bytes) {
  return absl::StrCat("a text of 1 to ", max_bytes, " bytes, UTF-8 on one line");
}

}  // namespace

YamlSection::YamlSection(const YamlNode* node, std::string where, std::span<const std::string_view> known,
                         YamlErrors& errors)
    : node_(node), where_(std::move(where)), errors_(errors) {
  if (node_ == nullptr) return;
  const std::string name = where_.empty() ? "the model" : where_;
  if (node_->kind != YamlNode::Kind::kMap) {
    errors_.Add(node_->line, absl::StrCat(name, " is ", Shown(*node_), "; it must be a mapping"));
    node_ = nullptr;
    return;
  }
  for (const YamlNode& item : node_->items) {
    if (std::find(known.begin(), known.end(), item.key) != known.end()) continue;
    errors_.Add(item.key_line, absl::StrCat("unknown key \"", LogSafe(item.key.substr(0, 64)), "\" in ", name,
                                            Suggestion(item.key, known)));
  }
}

int YamlSection::LineOf(std::string_view key) const {
  if (const YamlNode* value = Find(key)) return value->line;
  return node_ == nullptr ? 1 : node_->line;
}

void YamlSection::Require(std::initializer_list<std::string_view> keys) {
  if (node_ == nullptr) return;
  for (const std::string_view key : keys) {
    if (!Has(key)) errors_.Add(node_->line, absl::StrCat(FieldName(key), " is missing"));
  }
}

void YamlSection::Forbid(std::string_view key, std::string_view reason) {
  if (Has(key))
    errors_.Add(LineOf(key), absl::StrCat(FieldName(key), " has no meaning here: ", View(reason)));
}

void YamlSection::Wrong(std::string_view key, std::string_view wanted) {
  const YamlNode* value = Find(key);
  if (value == nullptr) return;
  errors_.Add(value->line,
              absl::StrCat(FieldName(key), " is ", Shown(*value), "; it must be ", View(wanted)));
}

std::string YamlSection::Text(std::string_view key, size_t max_bytes) {
  std::string text;
  const YamlNode* value = Find(key);
  if (value != nullptr && !ReadText(*value, max_bytes, &text)) Wrong(key, TextWanted(max_bytes));
  return text;
}

int YamlSection::Int(std::string_view key, int absent, Range range) {
  const YamlNode* value = Find(key);
  int number = absent;
  if (value == nullptr || ReadWhole(*value, range, &number)) return number;
  Wrong(key, absl::StrCat("a whole number ", Between(range)));
  return absent;
}

float YamlSection::Number(std::string_view key, float absent, Range range) {
  const YamlNode* value = Find(key);
  float number = absent;
  if (value == nullptr || ReadNumber(*value, range, &number)) return number;
  Wrong(key, absl::StrCat("a number ", Between(range)));
  return absent;
}

bool YamlSection::Bool(std::string_view key, bool absent) {
  return Choice<bool>(key, absent, {{"true", true}, {"false", false}});
}

std::vector<int> YamlSection::Ints(std::string_view key, Count count, Range range) {
  const std::string wanted = absl::StrCat("a list of ", Lengths(count), " whole numbers ", Between(range));
  std::vector<int> numbers;
  if (const std::vector<YamlNode>* items = List(key, count, wanted)) {
    for (const YamlNode& item : *items) {
      if (!ReadWhole(item, range, &numbers.emplace_back())) {
        errors_.Add(item.line, absl::StrCat(FieldName(key), " has ", Shown(item), "; it must be ", wanted));
      }
    }
  }
  return numbers;
}

std::vector<float> YamlSection::Numbers(std::string_view key, Count count, Range range) {
  const std::string wanted = absl::StrCat("a list of ", Lengths(count), " numbers ", Between(range));
  std::vector<float> numbers;
  if (const std::vector<YamlNode>* items = List(key, count, wanted)) {
    for (const YamlNode& item : *items) {
      if (!ReadNumber(item, range, &numbers.emplace_back())) {
        errors_.Add(item.line, absl::StrCat(FieldName(key), " has ", Shown(item), "; it must be ", wanted));
      }
    }
  }
  return numbers;
}

std::vector<std::string> YamlSection::Texts(std::string_view key, Count count, size_t max_bytes) {
  const std::string wanted =
      absl::StrCat("a list of ", Lengths(count), " texts of 1 to ", max_bytes, " bytes");
  std::vector<std::string> texts;
  if (const std::vector<YamlNode>* items = List(key, count, wanted)) {
    for (const YamlNode& item : *items) {
      if (!ReadText(item, max_bytes, &texts.emplace_back())) {
        errors_.Add(item.line, absl::StrCat(FieldName(key), " has ", Shown(item), "; it must be ", wanted));
      }
    }
  }
  return texts;
}

std::string YamlSection::FieldName(std::string_view key) const {
  return where_.empty() ? std::string(key) : absl::StrCat(where_, ".", View(key));
}

size_t YamlSection::ChoiceIndex(std::string_view key, std::span<const std::string_view> words) {
  const YamlNode* value = Find(key);
  if (value == nullptr) return words.size();
  const auto at = std::find(words.begin(), words.end(), value->text);
  if (value->kind == YamlNode::Kind::kScalar && at != words.end())
    return static_cast<size_t>(at - words.begin());
  std::vector<std::string> choices(words.begin(), words.end());
  Wrong(key, absl::StrJoin(choices, " or "));
  return words.size();
}

const std::vector<YamlNode>* YamlSection::List(std::string_view key, Count count, std::string_view wanted) {
  const YamlNode* value = Find(key);
  if (value == nullptr) return nullptr;
  const size_t size = value->items.size();
  if (value->kind == YamlNode::Kind::kList && size >= count.least && size <= count.most) return &value->items;
  if (value->kind == YamlNode::Kind::kList) {
    errors_.Add(value->line,
                absl::StrCat(FieldName(key), " has ", size, " entries; it must be ", View(wanted)));
  } else {
    Wrong(key, wanted);
  }
  return nullptr;
}

}  // namespace waystone
