// SPDX-License-Identifier: Apache-2.0
#include "pipeline/prediction_json.h"

#include <limits>

#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(PredictionJsonTest, WritesDetections) {
  Prediction prediction;
  prediction.source = "a.jpg";
  prediction.width = 640;
  prediction.height = 480;
  prediction.model = "m";
  prediction.detections = {{1, 0.87654321F, {1.234F, -2, 300.001F, 4.5F}}, {7, 0.5F, {0, 0, 1, 1}}};
  prediction.times = {1.23456, 0.5, 10, 0.25, 12.0004};
  EXPECT_EQ(PredictionToJson(prediction, {.labels = {"person", "bicycle"}}),
            R"({"source":"a.jpg","width":640,"height":480,"model":"m","task":"detect","results":[)"
            R"({"label":"bicycle","class_id":1,"score":0.87654,"box":[1.23,-2.0,300.0,4.5]},)"
            R"({"label":"7","class_id":7,"score":0.5,"box":[0.0,0.0,1.0,1.0]}],)"
            R"("timing_ms":{"decode":1.235,"preprocess":0.5,"infer":10.0,"postprocess":0.25,"total":12.0}})");
}

TEST(PredictionJsonTest, WritesClassesAndEmptyResults) {
  Prediction prediction;
  prediction.task = Task::kClassify;
  EXPECT_NE(PredictionToJson(prediction, {}).find(R"("task":"classify","results":[],)"), std::string::npos);
  prediction.classes = {{2, 0.25F}};
  EXPECT_NE(PredictionToJson(prediction, {.labels = {"a", "b", "c"}})
                .find(R"("results":[{"label":"c","class_id":2,"score":0.25}])"),
            std::string::npos);
}

// The part between "task" and "timing_ms".
std::string AnswersOf(const Prediction& prediction, const AnswerNames& names) {
  const std::string json = PredictionToJson(prediction, names);
  const size_t begin = json.find("\"results\"");
  return json.substr(begin, json.find(",\"timing_ms\"") - begin);
}

TEST(PredictionJsonTest, WritesPointsWithWhatTheModelGives) {
  Prediction prediction;
  Detection face = {0, 0.5F, {1, 2, 3, 4}};
  face.points = {{1.5F, 2}, {3, 4}};
  prediction.detections = {face};
  EXPECT_EQ(AnswersOf(prediction, {.labels = {"face"}, .point_names = {"nose"}}),
            R"("results":[{"label":"face","class_id":0,"score":0.5,"box":[1.0,2.0,3.0,4.0],)"
            R"("points":[{"name":"nose","x":1.5,"y":2.0},{"x":3.0,"y":4.0}]}])");
}

TEST(PredictionJsonTest, WritesLandmarksWithSideAndSpace) {
  Prediction prediction;
  prediction.task = Task::kLandmarks;
  LandmarkSet hand;
  hand.score = 0.75F;
  hand.points = {{1, 2, -3, 0.25F}};
  hand.guide_points = {{9, 9}};
  hand.right_side = 0.25F;
  hand.world_points = {{0.125F, 0, -0.5F}};
  prediction.landmarks = {hand};
  EXPECT_EQ(AnswersOf(prediction, {.labels = {"hand"}}),
            R"("results":[{"label":"hand","class_id":0,"score":0.75,"box":[0.0,0.0,0.0,0.0],"side":"left",)"
            R"("side_score":0.75,"points":[{"x":1.0,"y":2.0,"z":-3.0,"score":0.25}],)"
            R"("world_points":[[0.125,0.0,-0.5]]}])");
}

TEST(PredictionJsonTest, WritesAMaskAsPng) {
  Prediction prediction;
  prediction.task = Task::kSegment;
  prediction.segments = {{1, 0.5F, 0.25F}};
  prediction.mask = {SegmentMask::Kind::kClassIds, 2, 1, {0, 1}};
  const std::string answers = AnswersOf(prediction, {});
  EXPECT_EQ(
      answers.find(R"("results":[{"label":"1","class_id":1,"score":0.25,"share":0.5}],)"
                   R"("mask":{"width":2,"height":1,"kind":"class_ids","encoding":"png","data":"iVBORw0KGgo)"),
      0u)
      << answers;
}

TEST(PredictionJsonTest, WritesEmbeddingsBoxesInSpaceAndFeatures) {
  Prediction prediction;
  prediction.task = Task::kEmbed;
  prediction.width = 10;
  prediction.height = 5;
  prediction.embeddings = {{0, 1, {0, 0, 10, 5}, {0.6F, -0.8F}}, {2, 0.5F, {1, 1, 2, 2}, {1}, true}};
  EXPECT_EQ(AnswersOf(prediction, {}), R"("results":[{"box":[0.0,0.0,10.0,5.0],"embedding":[0.6,-0.8]},)"
                                       R"({"label":"2","class_id":2,"score":0.5,"box":[1.0,1.0,2.0,2.0],)"
                                       R"("embedding":[1.0]}])");
  prediction.task = Task::kBox3d;
  prediction.embeddings.clear();
  prediction.boxes3d = {{}};
  EXPECT_EQ(AnswersOf(prediction, {}).find("pose"), std::string::npos);
  prediction.boxes3d[0].pose = ObjectPose{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 1}, {0.5F, 0.25F, 1}};
  EXPECT_NE(
      AnswersOf(prediction, {})
          .find(
              R"("pose":{"rotation":[[1.0,0.0,0.0],[0.0,1.0,0.0],[0.0,0.0,1.0]],"translation":[0.0,0.0,1.0],)"
              R"("size":[0.5,0.25,1.0]})"),
      std::string::npos)
      << AnswersOf(prediction, {});
  prediction.task = Task::kFeatures;
  prediction.boxes3d.clear();
  prediction.features = {{{1, 2, 0, 0.5F}}, 1, {1}};
  EXPECT_EQ(AnswersOf(prediction, {}),
            R"("results":[{"x":1.0,"y":2.0,"score":0.5}],)"
            R"("descriptors":{"count":1,"size":1,"type":"fp32","encoding":"base64","data":"AACAPw=="})");
}

TEST(PredictionJsonTest, IsValidForAnySourceAndNumber) {
  Prediction prediction;
  prediction.source = "\xFF\"\n";
  prediction.times.total_ms = std::numeric_limits<double>::infinity();
  prediction.detections = {{-1, 0, {}}};
  const std::string json = PredictionToJson(prediction, {.labels = {"a"}});
  EXPECT_EQ(json.find("{\"source\":\"\xEF\xBF\xBD\\\"\\n\""), 0u) << json;
  EXPECT_NE(json.find("\"label\":\"-1\""), std::string::npos);
  EXPECT_NE(json.find("\"total\":null"), std::string::npos);
}

}  // namespace
}  // namespace waystone
