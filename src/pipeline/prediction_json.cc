// SPDX-License-Identifier: Apache-2.0
#include "pipeline/prediction_json.h"

#include <cmath>
#include <cstddef>

#include "nlohmann/json.hpp"

namespace waystone {
namespace {

using Json = nlohmann::ordered_json;

// Rounded to 1 / `steps`, as a double: a rounded float would print with the digits of its error. Adding 0
// takes the sign off a zero.
double Rounded(double value, double steps) { return std::round(value * steps) / steps + 0.0; }
double RoundedScore(double score) { return Rounded(score, 1e5); }
double RoundedPixels(double pixels) { return Rounded(pixels, 1e2); }
double RoundedMs(double ms) { return Rounded(ms, 1e3); }

std::string LabelOf(int class_id, const std::vector<std::string>& labels) {
  const size_t index = static_cast<size_t>(class_id);
  return class_id >= 0 && index < labels.size() ? labels[index] : std::to_string(class_id);
}

Json ResultsOf(const Prediction& prediction, const std::vector<std::string>& labels) {
  Json results = Json::array();
  for (const Detection& detection : prediction.detections) {
    const Box& box = detection.box;
    results.push_back({{"label", LabelOf(detection.class_id, labels)},
                       {"class_id", detection.class_id},
                       {"score", RoundedScore(detection.score)},
                       {"box",
                        {RoundedPixels(box.x_min), RoundedPixels(box.y_min), RoundedPixels(box.x_max),
                         RoundedPixels(box.y_max)}}});
  }
  for (const ClassScore& score : prediction.classes) {
    results.push_back({{"label", LabelOf(score.class_id, labels)},
                       {"class_id", score.class_id},
                       {"score", RoundedScore(score.score)}});
  }
  return results;
}

}  // namespace

std::string PredictionToJson(const Prediction& prediction, const std::vector<std::string>& labels) {
  const StageTimes& times = prediction.times;
  const Json json = {{"source", prediction.source},
                     {"width", prediction.width},
                     {"height", prediction.height},
                     {"model", prediction.model},
                     {"task", Name(prediction.task)},
                     {"results", ResultsOf(prediction, labels)},
                     {"timing_ms",
                      {{"decode", RoundedMs(times.decode_ms)},
                       {"preprocess", RoundedMs(times.preprocess_ms)},
                       {"infer", RoundedMs(times.infer_ms)},
                       {"postprocess", RoundedMs(times.postprocess_ms)},
                       {"total", RoundedMs(times.total_ms)}}}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace waystone
