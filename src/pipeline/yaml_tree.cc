// SPDX-License-Identifier: Apache-2.0
#include "pipeline/yaml_tree.h"

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "yaml-cpp/anchor.h"
#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/exceptions.h"
#include "yaml-cpp/mark.h"
#include "yaml-cpp/parser.h"

#include "base/log.h"

namespace waystone {
namespace {

// Leaves the parser from inside an event; caught in ParseYaml().
struct Refusal {
  int line;
  std::string message;
};

int LineOf(const YAML::Mark& mark) { return mark.is_null() ? 1 : mark.line + 1; }

// Keys and values of a map come as events one after the other.
class TreeBuilder final : public YAML::EventHandler {
 public:
  YamlNode TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Begin(mark, "", anchor, YamlNode::Kind::kNull);
    End();
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refusal{LineOf(mark), "aliases are not allowed"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (AwaitsKey()) {
      SetKey(mark, tag, anchor, value);
      return;
    }
    Begin(mark, tag, anchor, YamlNode::Kind::kScalar);
    open_.back().text = value;
    open_.back().quoted = tag == "!";
    End();
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Begin(mark, tag, anchor, YamlNode::Kind::kList);
  }
  void OnSequenceEnd() override { End(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Begin(mark, tag, anchor, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { End(); }

 private:
  bool AwaitsKey() const { return !open_.empty() && open_.back().kind == YamlNode::Kind::kMap && !has_key_; }

  static void CheckNode(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) throw Refusal{LineOf(mark), "anchors are not allowed"};
    if (!tag.empty() && tag != "?" && tag != "!") throw Refusal{LineOf(mark), "tags are not allowed"};
  }

  void SetKey(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
              const std::string& value) {
    CheckNode(mark, tag, anchor);
    if (open_.back().items.size() >= kMaxYamlKeys) {
      throw Refusal{LineOf(mark), absl::StrCat("more than ", kMaxYamlKeys, " keys in a mapping")};
    }
    if (open_.back().Find(value) != nullptr) {
      throw Refusal{LineOf(mark), absl::StrCat("key \"", LogSafe(value), "\" is given twice")};
    }
    key_ = value;
    key_line_ = LineOf(mark);
    has_key_ = true;
  }

  void Begin(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
    CheckNode(mark, tag, anchor);
    if (AwaitsKey()) throw Refusal{LineOf(mark), "a key must be a text"};
    if (++nodes_ > kMaxYamlNodes)
      throw Refusal{LineOf(mark), absl::StrCat("more than ", kMaxYamlNodes, " values")};
    if (open_.size() >= kMaxYamlDepth) {
      throw Refusal{LineOf(mark), absl::StrCat("nested more than ", kMaxYamlDepth, " deep")};
    }
    YamlNode node;
    node.kind = kind;
    node.line = LineOf(mark);
    if (has_key_) {
      node.key = std::exchange(key_, {});
      node.key_line = key_line_;
      has_key_ = false;
    }
    open_.push_back(std::move(node));
  }

  void End() {
    YamlNode node = std::move(open_.back());
    open_.pop_back();
    if (open_.empty()) {
      root_ = std::move(node);
    } else {
      open_.back().items.push_back(std::move(node));
    }
  }

  std::vector<YamlNode> open_;  // from the root to the node being read
  YamlNode root_;
  size_t nodes_ = 0;
  std::string key_;  // read, its value awaited
  int key_line_ = 0;
  bool has_key_ = false;
};

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key_name) const {
  if (kind != Kind::kMap) return nullptr;
  const auto at =
      std::find_if(items.begin(), items.end(), [&](const YamlNode& item) { return item.key == key_name; });
  return at == items.end() ? nullptr : &*at;
}

absl::Status YamlError(const std::string& file_name, int line, std::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat(file_name, ":", line, ": ", absl::string_view(message.data(), message.size())));
}

absl::StatusOr<YamlNode> ParseYaml(std::string_view text, const std::string& file_name) {
  if (text.size() > kMaxYamlBytes) {
    return YamlError(file_name, 1,
                     absl::StrCat("the file has ", text.size(), " bytes; the limit is ", kMaxYamlBytes));
  }
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder tree;
    if (!parser.HandleNextDocument(tree)) return YamlError(file_name, 1, "the file is empty");
    TreeBuilder second;
    if (parser.HandleNextDocument(second))
      return YamlError(file_name, 1, "the file has more than one document");
    return tree.TakeRoot();
  } catch (const Refusal& refusal) {
    return YamlError(file_name, refusal.line, refusal.message);
  } catch (const YAML::Exception& error) {
    return YamlError(file_name, LineOf(error.mark), absl::StrCat("not valid YAML: ", LogSafe(error.msg)));
  } catch (const std::exception& error) {
    return YamlError(file_name, 1, absl::StrCat("cannot be read as YAML: ", LogSafe(error.what())));
  }
}

}  // namespace waystone
