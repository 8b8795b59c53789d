// SPDX-License-Identifier: Apache-2.0
#include "pipeline/prediction_json.h"

#include <cmath>
#include <cstddef>
#include <string_view>

#include "absl/strings/escaping.h"
#include "nlohmann/json.hpp"

#include "vision/encode/encode.h"

namespace waystone {
namespace {

using Json = nlohmann::ordered_json;

// Rounded to 1 / `steps`, as a double: a rounded float would print with the digits of its error. Adding 0
// takes the sign off a zero.
double Rounded(double value, double steps) { return std::round(value * steps) / steps + 0.0; }
double RoundedScore(double score) { return Rounded(score, 1e5); }
double RoundedPixels(double pixels) { return Rounded(pixels, 1e2); }
double RoundedMs(double ms) { return Rounded(ms, 1e3); }

Json BoxJson(const Box& box) {
  return {RoundedPixels(box.x_min), RoundedPixels(box.y_min), RoundedPixels(box.x_max),
          RoundedPixels(box.y_max)};
}

// z and score stand there only where a model gives them: some point has one.
Json PointsJson(std::span<const Landmark> points, const AnswerNames& names) {
  bool has_z = false;
  bool has_score = false;
  for (const Landmark& point : points) {
    has_z = has_z || point.z != 0;
    has_score = has_score || point.score != 1;
  }
  Json list = Json::array();
  for (size_t i = 0; i < points.size(); ++i) {
    Json point;
    if (i < names.point_names.size()) point["name"] = names.point_names[i];
    point["x"] = RoundedPixels(points[i].x);
    point["y"] = RoundedPixels(points[i].y);
    if (has_z) point["z"] = RoundedPixels(points[i].z);
    if (has_score) point["score"] = RoundedScore(points[i].score);
    list.push_back(std::move(point));
  }
  return list;
}

Json ClassJson(int class_id, double score, const AnswerNames& names) {
  return {{"label", names.Label(class_id)}, {"class_id", class_id}, {"score", RoundedScore(score)}};
}

void AddDetections(const Prediction& prediction, const AnswerNames& names, Json& results) {
  for (const Detection& detection : prediction.detections) {
    Json result = ClassJson(detection.class_id, detection.score, names);
    result["box"] = BoxJson(detection.box);
    if (!detection.points.empty()) result["points"] = PointsJson(detection.points, names);
    results.push_back(std::move(result));
  }
}

void AddLandmarks(const Prediction& prediction, const AnswerNames& names, Json& results) {
  for (const LandmarkSet& set : prediction.landmarks) {
    Json result = ClassJson(set.class_id, set.score, names);
    result["box"] = BoxJson(set.box);
    if (set.right_side.has_value()) {
      const bool right = *set.right_side >= 0.5F;
      result["side"] = right ? "right" : "left";
      result["side_score"] = RoundedScore(right ? *set.right_side : 1 - *set.right_side);
    }
    result["points"] = PointsJson(set.points, names);
    if (!set.world_points.empty()) {
      Json world = Json::array();
      for (const auto& [x, y, z] : set.world_points) {
        world.push_back({Rounded(x, 1e5), Rounded(y, 1e5), Rounded(z, 1e5)});
      }
      result["world_points"] = std::move(world);
    }
    results.push_back(std::move(result));
  }
}

void AddEmbeddings(const Prediction& prediction, const AnswerNames& names, Json& results) {
  for (const Embedding& embedding : prediction.embeddings) {
    Json result;
    if (embedding.of_object) result = ClassJson(embedding.class_id, embedding.score, names);
    result["box"] = BoxJson(embedding.box);
    Json values = Json::array();
    for (const float value : embedding.values) values.push_back(Rounded(value, 1e6));
    result["embedding"] = std::move(values);
    results.push_back(std::move(result));
  }
}

Json PoseJson(const ObjectPose& pose) {
  Json rotation = Json::array();
  for (const auto& row : pose.rotation) {
    rotation.push_back({Rounded(row[0], 1e6), Rounded(row[1], 1e6), Rounded(row[2], 1e6)});
  }
  const auto vector = [](const std::array<float, 3>& v) {
    return Json{Rounded(v[0], 1e6), Rounded(v[1], 1e6), Rounded(v[2], 1e6)};
  };
  return {{"rotation", rotation}, {"translation", vector(pose.translation)}, {"size", vector(pose.size)}};
}

void AddBoxes3d(const Prediction& prediction, const AnswerNames& names, Json& results) {
  for (const Box3d& box : prediction.boxes3d) {
    Json result = ClassJson(box.class_id, box.score, names);
    result["box"] = BoxJson(box.box);
    result["points"] = PointsJson(box.points, names);
    if (box.pose.has_value()) result["pose"] = PoseJson(*box.pose);
    results.push_back(std::move(result));
  }
}

Json ResultsOf(const Prediction& prediction, const AnswerNames& names) {
  Json results = Json::array();
  AddDetections(prediction, names, results);
  for (const ClassScore& score : prediction.classes) {
    results.push_back(ClassJson(score.class_id, score.score, names));
  }
  AddLandmarks(prediction, names, results);
  for (const Segment& segment : prediction.segments) {
    Json result = ClassJson(segment.class_id, segment.score, names);
    result["share"] = RoundedScore(segment.share);
    results.push_back(std::move(result));
  }
  AddEmbeddings(prediction, names, results);
  AddBoxes3d(prediction, names, results);
  for (const Landmark& point : prediction.features.points) {
    results.push_back(
        {{"x", RoundedPixels(point.x)}, {"y", RoundedPixels(point.y)}, {"score", RoundedScore(point.score)}});
  }
  return results;
}

// As PNG, or null when it cannot be encoded.
Json MaskJson(const SegmentMask& mask) {
  const auto png = EncodeGrayPng(mask.values.data(), mask.width, mask.height);
  if (!png.ok()) return nullptr;
  return {{"width", mask.width},
          {"height", mask.height},
          {"kind", mask.kind == SegmentMask::Kind::kClassIds ? "class_ids" : "probability"},
          {"encoding", "png"},
          {"data", std::string(absl::Base64Escape(*png))}};
}

Json DescriptorsJson(const FeatureSet& features) {
  const absl::string_view bytes(reinterpret_cast<const char*>(features.descriptors.data()),
                                features.descriptors.size() * sizeof(float));
  return {{"count", features.points.size()},
          {"size", features.descriptor_size},
          {"type", "fp32"},
          {"encoding", "base64"},
          {"data", std::string(absl::Base64Escape(bytes))}};
}

}  // namespace

std::string PredictionToJson(const Prediction& prediction, const AnswerNames& names) {
  const StageTimes& times = prediction.times;
  Json json = {{"source", prediction.source},   {"width", prediction.width},
               {"height", prediction.height},   {"model", prediction.model},
               {"task", Name(prediction.task)}, {"results", ResultsOf(prediction, names)}};
  if (prediction.task == Task::kSegment) json["mask"] = MaskJson(prediction.mask);
  if (prediction.task == Task::kFeatures) json["descriptors"] = DescriptorsJson(prediction.features);
  json["timing_ms"] = {{"decode", RoundedMs(times.decode_ms)},
                       {"preprocess", RoundedMs(times.preprocess_ms)},
                       {"infer", RoundedMs(times.infer_ms)},
                       {"postprocess", RoundedMs(times.postprocess_ms)},
                       {"total", RoundedMs(times.total_ms)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace waystone
