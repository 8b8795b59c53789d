// SPDX-License-Identifier: Apache-2.0
//
// What a pipeline answers for one picture. Boxes are in pixels of the upright picture at its full size, x to
// the right and y down, (0, 0) at the outer corner of the top left pixel. Values; thread-compatible.
#pragma once

#include <string>
#include <vector>

namespace waystone {

enum class Task { kClassify, kDetect };
// "classify", "detect".
inline const char* Name(Task task) { return task == Task::kClassify ? "classify" : "detect"; }

// x_min <= x_max and y_min <= y_max, in pixels; may reach beyond the picture where the model says so.
struct Box {
  float x_min = 0;
  float y_min = 0;
  float x_max = 0;
  float y_max = 0;
};

// An object in the picture; score in [0, 1].
struct Detection {
  int class_id = 0;
  float score = 0;
  Box box;
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

// Wall-clock milliseconds a stage took; total may exceed the sum by what lies between the stages.
struct StageTimes {
  double decode_ms = 0;
  double preprocess_ms = 0;
  double infer_ms = 0;
  double postprocess_ms = 0;
  double total_ms = 0;
};

struct Prediction {
  std::string source;  // file name, or what the caller calls the picture
  int width = 0;       // of the upright picture
  int height = 0;
  std::string model;
  Task task = Task::kDetect;
  std::vector<Detection> detections;  // for kDetect, best score first
  std::vector<ClassScore> classes;    // for kClassify, best score first
  StageTimes times;
};

}  // namespace waystone
