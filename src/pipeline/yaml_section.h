// SPDX-License-Identifier: Apache-2.0
//
// Typed reading of a map of a YAML file. Reading goes on after an error with default values and the first
// error is kept, so a schema reads as a plain list of its fields. A section knows all its keys, hence a
// mistyped one is an error that names the nearest. Confined to one thread.
#pragma once

#include <array>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

#include "pipeline/yaml_tree.h"

namespace waystone {

// Keeps the first error of a file.
class YamlErrors {
 public:
  explicit YamlErrors(std::string file_name) : file_name_(std::move(file_name)) {}
  void Add(int line, std::string_view message) {
    if (status_.ok()) status_ = YamlError(file_name_, line, message);
  }
  const absl::Status& status() const { return status_; }

 private:
  std::string file_name_;
  absl::Status status_;
};

class YamlSection {
 public:
  struct Range {
    double least = 0;
    double most = 0;
  };
  struct Count {
    size_t least = 0;
    size_t most = 0;
  };

  // `node` may be null (the section is absent: every field has its default); `where` is its path, empty for
  // the root. Reports a node that is not a map, and keys that are not in `known`.
  YamlSection(const YamlNode* node, std::string where, std::span<const std::string_view> known,
              YamlErrors& errors);

  bool Has(std::string_view key) const { return Find(key) != nullptr; }
  const YamlNode* Find(std::string_view key) const { return node_ == nullptr ? nullptr : node_->Find(key); }
  // Of the key's value, or of the section where it is absent.
  int LineOf(std::string_view key) const;
  // Reports keys that are absent; a section that is itself absent has no line, so its parent requires it.
  void Require(std::initializer_list<std::string_view> keys);
  // Reports the key when it is there.
  void Forbid(std::string_view key, std::string_view reason);
  // Reports "FIELD is VALUE; it must be WANTED".
  void Wrong(std::string_view key, std::string_view wanted);

  std::string Text(std::string_view key, size_t max_bytes);
  int Int(std::string_view key, int absent, Range range);
  float Number(std::string_view key, float absent, Range range);
  bool Bool(std::string_view key, bool absent);
  std::vector<int> Ints(std::string_view key, Count count, Range range);
  std::vector<float> Numbers(std::string_view key, Count count, Range range);
  std::vector<std::string> Texts(std::string_view key, Count count, size_t max_bytes);

  // The value that a word stands for.
  template <typename T>
  T Choice(std::string_view key, const T& absent,
           std::initializer_list<std::pair<std::string_view, T>> choices) {
    std::vector<std::string_view> words;
    for (const auto& [word, value] : choices) words.push_back(word);
    const size_t chosen = ChoiceIndex(key, words);
    return chosen < choices.size() ? (choices.begin() + chosen)->second : absent;
  }
  // `count` numbers of which each counts, as an array.
  template <typename T, size_t kSize>
  std::array<T, kSize> Array(std::string_view key, std::array<T, kSize> absent, Range range) {
    if (!Has(key)) return absent;
    const std::vector<float> numbers = Numbers(key, {kSize, kSize}, range);
    if (numbers.size() != kSize) return absent;
    for (size_t i = 0; i < kSize; ++i) absent[i] = static_cast<T>(numbers[i]);
    return absent;
  }

 private:
  std::string FieldName(std::string_view key) const;
  // The position of the key's value among `words`; their number when it is absent or wrong.
  size_t ChoiceIndex(std::string_view key, std::span<const std::string_view> words);
  // The items of a list of the right length; null, and reported, otherwise.
  const std::vector<YamlNode>* List(std::string_view key, Count count, std::string_view wanted);

  const YamlNode* node_;
  std::string where_;
  YamlErrors& errors_;
};

}  // namespace waystone
