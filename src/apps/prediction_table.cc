// SPDX-License-Identifier: Apache-2.0
#include "apps/prediction_table.h"

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "apps/command.h"

namespace waystone {
namespace {

using Row = std::vector<std::string>;

std::string Score(float score) { return absl::StrFormat("  %.3f", score); }
std::string Pixels(float value) { return absl::StrFormat("%.1f", value); }

Row WithBox(Row row, const Box& box) {
  for (const float value : {box.x_min, box.y_min, box.x_max, box.y_max}) row.push_back(Pixels(value));
  return row;
}

const Row kBoxHeads = {"X_MIN", "Y_MIN", "X_MAX", "Y_MAX"};

Row Heads(Row row, bool boxes) {
  if (boxes) row.insert(row.end(), kBoxHeads.begin(), kBoxHeads.end());
  return row;
}

std::vector<Row> DetectionRows(const Prediction& prediction, const AnswerNames& names) {
  std::vector<Row> rows = {Heads({"  SCORE", "LABEL"}, true)};
  for (const Detection& found : prediction.detections) {
    rows.push_back(WithBox({Score(found.score), names.Label(found.class_id)}, found.box));
  }
  return rows;
}

std::vector<Row> ClassRows(const Prediction& prediction, const AnswerNames& names) {
  std::vector<Row> rows = {{"  SCORE", "LABEL"}};
  for (const ClassScore& found : prediction.classes) {
    rows.push_back({Score(found.score), names.Label(found.class_id)});
  }
  return rows;
}

std::vector<Row> LandmarkRows(const Prediction& prediction, const AnswerNames& names) {
  std::vector<Row> rows = {Heads({"  SCORE", "LABEL", "POINTS"}, true)};
  for (const LandmarkSet& set : prediction.landmarks) {
    std::string label = names.Label(set.class_id);
    if (set.right_side.has_value()) absl::StrAppend(&label, *set.right_side >= 0.5F ? ", right" : ", left");
    rows.push_back(WithBox({Score(set.score), label, absl::StrCat(set.points.size())}, set.box));
  }
  return rows;
}

std::vector<Row> SegmentRows(const Prediction& prediction, const AnswerNames& names) {
  std::vector<Row> rows = {{"  SHARE", "LABEL"}};
  for (const Segment& segment : prediction.segments) {
    rows.push_back({absl::StrFormat("  %.1f%%", 100 * segment.share), names.Label(segment.class_id)});
  }
  return rows;
}

std::vector<Row> EmbeddingRows(const Prediction& prediction, const AnswerNames&) {
  std::vector<Row> rows = {Heads({"  SCORE", "VALUES", "FIRST"}, true)};
  for (const Embedding& embedding : prediction.embeddings) {
    std::string first;
    for (size_t i = 0; i < embedding.values.size() && i < 3; ++i) {
      absl::StrAppendFormat(&first, "%s%.3f", i == 0 ? "" : ", ", embedding.values[i]);
    }
    rows.push_back(
        WithBox({Score(embedding.score), absl::StrCat(embedding.values.size()), absl::StrCat(first, ", ...")},
                embedding.box));
  }
  return rows;
}

std::vector<Row> Box3dRows(const Prediction& prediction, const AnswerNames& names) {
  std::vector<Row> rows = {Heads({"  SCORE", "LABEL", "SIZE/DISTANCE"}, true)};
  for (const Box3d& box : prediction.boxes3d) {
    std::string size = "-";
    if (box.pose.has_value()) {
      size = absl::StrFormat("%.2f x %.2f x %.2f", box.pose->size[0], box.pose->size[1], box.pose->size[2]);
    }
    rows.push_back(WithBox({Score(box.score), names.Label(box.class_id), size}, box.box));
  }
  return rows;
}

std::vector<Row> FeatureRows(const Prediction& prediction, const AnswerNames&) {
  constexpr size_t kMostRows = 10;
  std::vector<Row> rows = {{"  SCORE", "X", "Y"}};
  for (const Landmark& point : prediction.features.points) {
    if (rows.size() > kMostRows) break;
    rows.push_back({Score(point.score), Pixels(point.x), Pixels(point.y)});
  }
  return rows;
}

std::vector<Row> RowsOf(const Prediction& prediction, const AnswerNames& names) {
  switch (prediction.task) {
    case Task::kClassify:
      return ClassRows(prediction, names);
    case Task::kDetect:
      return DetectionRows(prediction, names);
    case Task::kLandmarks:
      return LandmarkRows(prediction, names);
    case Task::kSegment:
      return SegmentRows(prediction, names);
    case Task::kEmbed:
      return EmbeddingRows(prediction, names);
    case Task::kBox3d:
      return Box3dRows(prediction, names);
    case Task::kFeatures:
      return FeatureRows(prediction, names);
    case Task::kMatch:
      break;  // is about two pictures
  }
  return {{""}};
}

}  // namespace

void PrintPrediction(const Prediction& prediction, const AnswerNames& names, bool timing) {
  std::printf("%s (%d x %d), %s\n", prediction.source.c_str(), prediction.width, prediction.height,
              prediction.model.c_str());
  const std::vector<Row> rows = RowsOf(prediction, names);
  std::printf("%s", rows.size() == 1 ? "  nothing found above the threshold\n" : FormatTable(rows).c_str());
  if (prediction.task == Task::kFeatures) {
    std::printf("  %zu features in all\n", prediction.features.points.size());
  }
  if (timing) {
    const StageTimes& times = prediction.times;
    std::printf("  decode %.2f ms, preprocess %.2f ms, infer %.2f ms, postprocess %.2f ms, total %.2f ms\n",
                times.decode_ms, times.preprocess_ms, times.infer_ms, times.postprocess_ms, times.total_ms);
  }
}

}  // namespace waystone
