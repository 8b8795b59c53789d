// SPDX-License-Identifier: Apache-2.0
//
// What a pipeline answers for one picture. Boxes are in pixels of the upright picture at its full size, x to
// the right and y down, (0, 0) at the outer corner of the top left pixel. Values; thread-compatible.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace waystone {

// What a model does with a picture. kMatch does not take a picture but the features of two.
enum class Task { kClassify, kDetect, kLandmarks, kSegment, kEmbed, kBox3d, kFeatures, kMatch };
// "classify", "detect", "landmarks", "segment", "embed", "box3d", "features", "match".
const char* Name(Task task);

// x_min <= x_max and y_min <= y_max, in pixels; may reach beyond the picture where the model says so.
struct Box {
  float x_min = 0;
  float y_min = 0;
  float x_max = 0;
  float y_max = 0;
};

// A named place on an object. x and y in pixels of the picture; z in the same unit, smaller is nearer, 0
// where the model has none. score in [0, 1]: how likely the point shows, 1 where the model does not say.
struct Landmark {
  float x = 0;
  float y = 0;
  float z = 0;
  float score = 1;
};

// An object in the picture; score in [0, 1]. `points` is empty where the model gives none.
struct Detection {
  int class_id = 0;
  float score = 0;
  Box box;
  std::vector<Landmark> points = {};
};

// One face, hand or body; score in [0, 1] says that it is there.
struct LandmarkSet {
  int class_id = 0;
  float score = 0;
  Box box;  // around the points
  std::vector<Landmark> points;
  std::optional<float> right_side;                 // hands: how likely it is a right one, [0, 1]
  std::vector<std::array<float, 3>> world_points;  // metres from the object's own origin
  std::vector<Landmark> guide_points;              // behind the points: where to look next, not an answer
};

// Which class each part of the picture belongs to, as a raster over the whole picture (or over the crop that
// the network saw, which is then the picture).
struct SegmentMask {
  enum class Kind { kClassIds, kProbability };
  Kind kind = Kind::kClassIds;
  int width = 0;
  int height = 0;
  std::vector<uint8_t> values;  // width * height, rows from the top: a class, or 255 * probability
};

// A class that a mask has; share of the picture's area, score the mean probability where it was chosen.
struct Segment {
  int class_id = 0;
  float share = 0;
  float score = 0;
};

// A vector of length 1 that is near those of things that look alike (cosine). The box is what was looked at:
// the whole picture, or an object that another model found; only such an object has a class and a score.
struct Embedding {
  int class_id = 0;
  float score = 1;
  Box box;
  std::vector<float> values;
  bool of_object = false;
};

// Where an object is to the camera: p_camera = rotation * p_object + translation, x to the right, y down, z
// forward. One picture tells no scale: lengths are in units of the distance to the object's centre.
struct ObjectPose {
  std::array<std::array<float, 3>, 3> rotation = {};  // rows
  std::array<float, 3> translation = {};
  std::array<float, 3> size = {};  // of the box along its own axes
};

// A box around an object in space. Points: its centre, then the corners (-,-,-) (-,-,+) (-,+,-) (-,+,+)
// (+,-,-) (+,-,+) (+,+,-) (+,+,+) of the object's axes, in pixels.
struct Box3d {
  int class_id = 0;
  float score = 0;
  Box box;  // around the points
  std::array<Landmark, 9> points;
  std::optional<ObjectPose> pose;  // where the camera's intrinsics are known
};

// Corners and other places that can be found again in another view, best first, with what they look like.
struct FeatureSet {
  std::vector<Landmark> points;
  int descriptor_size = 0;
  std::vector<float> descriptors;  // points x descriptor_size, each of length 1
};

// A class of the whole picture; score in [0, 1].
struct ClassScore {
  int class_id = 0;
  float score = 0;
};

// Where the network's input lies in the picture: x_input = x_picture * scale_x + offset_x, likewise y. Sizes
// of the upright full-size picture in pixels, to which boxes may be clipped.
struct InputGeometry {
  float scale_x = 1;
  float scale_y = 1;
  float offset_x = 0;
  float offset_y = 0;
  int picture_width = 0;
  int picture_height = 0;
};

// What classes and points are called, and which points belong together in a drawing. A class or point beyond
// the end of its list is called by its number.
struct AnswerNames {
  std::vector<std::string> labels = {};
  std::vector<std::string> point_names = {};
  std::vector<std::array<int, 2>> edges = {};

  std::string Label(int class_id) const;
};

// Wall-clock milliseconds a stage took; total may exceed the sum by what lies between the stages.
struct StageTimes {
  double decode_ms = 0;
  double preprocess_ms = 0;
  double infer_ms = 0;
  double postprocess_ms = 0;
  double total_ms = 0;
};

// The field of the model's task is filled, best score first.
struct Answers {
  std::vector<Detection> detections = {};
  std::vector<ClassScore> classes = {};
  std::vector<LandmarkSet> landmarks = {};
  std::vector<Segment> segments = {};
  SegmentMask mask = {};  // for kSegment
  std::vector<Embedding> embeddings = {};
  std::vector<Box3d> boxes3d = {};
  FeatureSet features = {};
};

// The answers for one picture, and what they are of.
struct Prediction : Answers {
  std::string source;  // file name, or what the caller calls the picture
  int width = 0;       // of the upright picture
  int height = 0;
  std::string model;
  Task task = Task::kDetect;
  StageTimes times;
};

}  // namespace waystone
