// SPDX-License-Identifier: Apache-2.0
//
// YAML text as a tree with line numbers. It is built from the parser's events rather than from its own nodes,
// because only there can what makes a document explode or ambiguous be refused while it is read: anchors and
// aliases, tags, deep nesting, too many values, keys given twice. Thread-safe (no state); no exception
// leaves.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace waystone {

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  int line = 1;      // of its beginning; the first is 1
  std::string text;  // of a scalar
  bool quoted = false;
  std::string key;  // the node's own, when it stands in a map
  int key_line = 0;
  std::vector<YamlNode> items;  // of a list or a map, in the order of the text

  // The value of a key of a map, or null.
  const YamlNode* Find(std::string_view key_name) const;
};

inline constexpr size_t kMaxYamlBytes = size_t{256} << 10;
inline constexpr size_t kMaxYamlNodes = 20000;
inline constexpr size_t kMaxYamlKeys = 256;  // of one map
inline constexpr size_t kMaxYamlDepth = 16;

// The one document in `text`. InvalidArgument, beginning with "FILE:LINE: ", for what YAML or the above does
// not allow.
absl::StatusOr<YamlNode> ParseYaml(std::string_view text, const std::string& file_name);

// InvalidArgument "FILE:LINE: message".
absl::Status YamlError(const std::string& file_name, int line, std::string_view message);

}  // namespace waystone
