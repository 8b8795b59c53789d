// SPDX-License-Identifier: Apache-2.0
#include "pipeline/model_yaml.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "base/file.h"
#include "base/relative_path.h"
#include "base/status.h"
#include "pipeline/model_yaml_fields.h"
#include "pipeline/plain_text.h"
#include "pipeline/yaml_section.h"
#include "pipeline/yaml_tree.h"
#include "vision/postprocess/decoder.h"

namespace waystone {
namespace {

constexpr size_t kMaxTextBytes = 1024;
constexpr size_t kMaxModelNameBytes = 128;
constexpr size_t kMaxLabels = 10000;
constexpr size_t kMaxLabelBytes = 256;
constexpr size_t kMaxLabelsFileBytes = size_t{4} << 20;

void ReadIdentity(YamlSection& section, ModelSpec& spec) {
  section.Int("schema", 1, {1, 1});
  spec.name = section.Text("name", kMaxModelNameBytes);
  if (!IsName(spec.name, "._-", kMaxModelNameBytes)) {
    section.Wrong("name", "1 to 128 characters a-z, 0-9, '.', '_' or '-', the first a letter or digit");
  }
  spec.description = section.Text("description", kMaxTextBytes);
  spec.task =
      section.Choice<Task>("task", spec.task, {{"detect", Task::kDetect}, {"classify", Task::kClassify}});
  spec.licence = section.Text("licence", kMaxTextBytes);
  spec.source = section.Text("source", kMaxTextBytes);
  spec.file = section.Text("file", kMaxTextBytes);
  if (!StaysInFolder(spec.file)) section.Wrong("file", "a relative path without \"..\"");
  spec.sha256 = absl::AsciiStrToLower(section.Text("sha256", 64));
  if (!IsSha256(spec.sha256)) section.Wrong("sha256", "64 hex digits");
}

void ReadLabels(YamlSection& section, ModelYaml& model) {
  const YamlNode* labels = section.Find("labels");
  if (labels != nullptr && labels->kind == YamlNode::Kind::kList) {
    model.spec.labels = section.Texts("labels", {1, kMaxLabels}, kMaxLabelBytes);
    return;
  }
  model.labels_file = section.Text("labels", kMaxTextBytes);
  if (!StaysInFolder(model.labels_file))
    section.Wrong("labels", "a relative path without \"..\", or a list of texts");
}

absl::StatusOr<std::vector<std::string>> ReadLabelsFile(const std::string& path) {
  WAYSTONE_ASSIGN_OR_RETURN(const std::string content, ReadFile(path, kMaxLabelsFileBytes));
  std::vector<std::string> labels;
  size_t begin = 0;
  while (begin < content.size()) {
    const size_t end = std::min(content.find('\n', begin), content.size());
    std::string label = content.substr(begin, end - begin);
    begin = end + 1;
    if (!label.empty() && label.back() == '\r') label.pop_back();
    const int line = static_cast<int>(labels.size()) + 1;
    if (labels.size() >= kMaxLabels)
      return YamlError(path, line, absl::StrCat("more than ", kMaxLabels, " labels"));
    if (label.empty() || label.size() > kMaxLabelBytes || !IsPlainText(label)) {
      return YamlError(path, line,
                       absl::StrCat("a label must be UTF-8 text of 1 to ", kMaxLabelBytes, " bytes"));
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

}  // namespace

absl::StatusOr<ModelYaml> ParseModelYaml(std::string_view text, const std::string& file_name) {
  static constexpr std::string_view kKeys[] = {"schema", "name",    "description", "task",       "licence",
                                               "source", "file",    "sha256",      "fetch",      "labels",
                                               "input",  "decoder", "batch_sizes", "thresholds", "engine"};
  WAYSTONE_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, file_name));
  YamlErrors errors(file_name);
  YamlSection section(&root, "", kKeys, errors);
  section.Require({"schema", "name", "task", "file", "input", "decoder"});
  ModelYaml model;
  ModelSpec& spec = model.spec;
  ReadIdentity(section, spec);
  ReadLabels(section, model);
  spec.fetch = ReadFetch(section.Find("fetch"), errors);
  ReadInput(section.Find("input"), errors, spec);
  if (section.Has("batch_sizes")) {
    spec.batch_sizes = section.Ints("batch_sizes", {1, 16}, {1, 1024});
    if (!Rises(spec.batch_sizes)) {
      section.Wrong("batch_sizes", "a list of rising numbers");
    }
  }
  spec.decoder = ReadDecoder(section.Find("decoder"), errors);
  spec.thresholds = ReadThresholds(section.Find("thresholds"), spec.task, errors);
  spec.engine = ReadEngine(section.Find("engine"), errors);
  if (!errors.status().ok()) return errors.status();
  // What only the decoder itself can tell: that strides divide the input, or that anchors are not too many.
  if (const absl::Status made = MakeDecoder(spec).status(); !made.ok()) {
    return YamlError(file_name, section.LineOf("decoder"), std::string(made.message()));
  }
  return model;
}

absl::StatusOr<ModelSpec> ReadModelFolder(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/model.yaml");
  WAYSTONE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxYamlBytes));
  WAYSTONE_ASSIGN_OR_RETURN(ModelYaml model, ParseModelYaml(text, path));
  if (!model.labels_file.empty()) {
    WAYSTONE_ASSIGN_OR_RETURN(model.spec.labels,
                              ReadLabelsFile(absl::StrCat(folder, "/", model.labels_file)));
  }
  return std::move(model.spec);
}

}  // namespace waystone
