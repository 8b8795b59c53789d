// SPDX-License-Identifier: Apache-2.0
#include "pipeline/model_yaml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
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
constexpr int kMaxPoints = 1000;

void ReadIdentity(YamlSection& section, ModelSpec& spec) {
  section.Int("schema", 1, {1, 1});
  spec.name = section.Text("name", kMaxModelNameBytes);
  if (!IsName(spec.name, "._-", kMaxModelNameBytes)) {
    section.Wrong("name", "1 to 128 characters a-z, 0-9, '.', '_' or '-', the first a letter or digit");
  }
  spec.description = section.Text("description", kMaxTextBytes);
  spec.task = section.Choice<Task>("task", spec.task,
                                   {{"classify", Task::kClassify},
                                    {"detect", Task::kDetect},
                                    {"landmarks", Task::kLandmarks},
                                    {"segment", Task::kSegment},
                                    {"embed", Task::kEmbed},
                                    {"box3d", Task::kBox3d},
                                    {"features", Task::kFeatures},
                                    {"match", Task::kMatch}});
  spec.licence = section.Text("licence", kMaxTextBytes);
  spec.source = section.Text("source", kMaxTextBytes);
  spec.file = section.Text("file", kMaxTextBytes);
  if (!StaysInFolder(spec.file)) section.Wrong("file", "a relative path without \"..\"");
  spec.sha256 = absl::AsciiStrToLower(section.Text("sha256", 64));
  if (!IsSha256(spec.sha256)) section.Wrong("sha256", "64 hex digits");
}

// A list of texts, or the name of the file that has them.
std::vector<std::string> ReadList(YamlSection& section, std::string_view key, std::string& file) {
  const YamlNode* node = section.Find(key);
  if (node != nullptr && node->kind == YamlNode::Kind::kList) {
    return section.Texts(key, {1, kMaxLabels}, kMaxLabelBytes);
  }
  file = section.Text(key, kMaxTextBytes);
  if (!StaysInFolder(file)) section.Wrong(key, "a relative path without \"..\", or a list of texts");
  return {};
}

// "3-7" to the numbers of two points; false for anything else.
bool ParseEdge(std::string_view text, std::array<int, 2>& edge) {
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) return false;
  const auto number = [](std::string_view digits, int& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() && value >= 0 && value < kMaxPoints;
  };
  return number(text.substr(0, dash), edge[0]) && number(text.substr(dash + 1), edge[1]) &&
         edge[0] != edge[1];
}

constexpr const char* kEdgeForm = "of the form 3-7, the numbers of two points, 0 to 999";

// One entry a line; `what` is what an entry is called in errors.
absl::StatusOr<std::vector<std::string>> ReadListFile(const std::string& path, const char* what) {
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
      return YamlError(path, line, absl::StrCat("more than ", kMaxLabels, " lines"));
    if (label.empty() || label.size() > kMaxLabelBytes || !IsPlainText(label)) {
      return YamlError(path, line,
                       absl::StrCat(what, " must be UTF-8 text of 1 to ", kMaxLabelBytes, " bytes"));
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

absl::Status ReadEdgesFile(const std::string& path, ModelSpec& spec) {
  WAYSTONE_ASSIGN_OR_RETURN(const std::vector<std::string> lines, ReadListFile(path, "an edge"));
  for (const std::string& line : lines) {
    std::array<int, 2> edge;
    if (!ParseEdge(line, edge)) {
      return YamlError(path, static_cast<int>(spec.names.edges.size()) + 1,
                       absl::StrCat("an edge must be ", kEdgeForm));
    }
    spec.names.edges.push_back(edge);
  }
  return absl::OkStatus();
}

void ReadPoints(YamlSection& section, ModelYaml& model) {
  model.spec.names.point_names = ReadList(section, "points", model.points_file);
  for (const std::string& text : ReadList(section, "edges", model.edges_file)) {
    std::array<int, 2> edge;
    if (ParseEdge(text, edge)) {
      model.spec.names.edges.push_back(edge);
    } else {
      section.Wrong("edges", absl::StrCat("a list of entries ", kEdgeForm));
    }
  }
}

// Where the network looks: only what stands in a picture has a place to look at.
void ReadPlaces(YamlSection& section, YamlErrors& errors, ModelSpec& spec) {
  const bool looks = spec.task == Task::kLandmarks || spec.task == Task::kEmbed || spec.task == Task::kBox3d;
  if (!looks) section.Forbid("crop", "only the tasks landmarks, embed and box3d have it");
  if (spec.task != Task::kLandmarks) section.Forbid("follow", "only the task landmarks has it");
  spec.crop = ReadCrop(section.Find("crop"), errors);
  spec.follow = ReadFollow(section.Find("follow"), errors);
  if (spec.follow.enabled && spec.crop.from.empty()) section.Wrong("follow", "given together with crop");
}

// What only the decoder itself can tell: that strides divide the input, or that anchors are not too many.
absl::Status CheckDecoder(const YamlSection& section, const ModelSpec& spec, const std::string& file_name) {
  if (spec.task == Task::kMatch && spec.decoder.kind == DecoderKind::kMatcher) return absl::OkStatus();
  const absl::Status made = MakeDecoder(spec).status();
  if (made.ok()) return made;
  return YamlError(file_name, section.LineOf("decoder"), std::string(made.message()));
}

}  // namespace

absl::StatusOr<ModelYaml> ParseModelYaml(std::string_view text, const std::string& file_name) {
  static constexpr std::string_view kKeys[] = {"schema",  "name",        "description", "task",  "licence",
                                               "source",  "file",        "sha256",      "fetch", "labels",
                                               "points",  "edges",       "input",       "crop",  "follow",
                                               "decoder", "batch_sizes", "thresholds",  "engine"};
  WAYSTONE_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, file_name));
  YamlErrors errors(file_name);
  YamlSection section(&root, "", kKeys, errors);
  section.Require({"schema", "name", "task", "file", "decoder"});
  ModelYaml model;
  ModelSpec& spec = model.spec;
  ReadIdentity(section, spec);
  spec.names.labels = ReadList(section, "labels", model.labels_file);
  ReadPoints(section, model);
  spec.fetch = ReadFetch(section.Find("fetch"), errors);
  if (spec.task == Task::kMatch) {
    for (const std::string_view key : {"input", "batch_sizes", "labels", "points", "edges"}) {
      section.Forbid(key, "a matcher takes the features of two pictures");
    }
  } else {
    section.Require({"input"});
    ReadInput(section.Find("input"), errors, spec);
  }
  ReadPlaces(section, errors, spec);
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
  WAYSTONE_RETURN_IF_ERROR(CheckDecoder(section, spec, file_name));
  return model;
}

absl::StatusOr<ModelSpec> ReadModelFolder(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/model.yaml");
  WAYSTONE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxYamlBytes));
  WAYSTONE_ASSIGN_OR_RETURN(ModelYaml model, ParseModelYaml(text, path));
  if (!model.labels_file.empty()) {
    WAYSTONE_ASSIGN_OR_RETURN(model.spec.names.labels,
                              ReadListFile(absl::StrCat(folder, "/", model.labels_file), "a label"));
  }
  if (!model.points_file.empty()) {
    WAYSTONE_ASSIGN_OR_RETURN(model.spec.names.point_names,
                              ReadListFile(absl::StrCat(folder, "/", model.points_file), "a point's name"));
  }
  if (!model.edges_file.empty()) {
    WAYSTONE_RETURN_IF_ERROR(ReadEdgesFile(absl::StrCat(folder, "/", model.edges_file), model.spec));
  }
  return std::move(model.spec);
}

}  // namespace waystone
