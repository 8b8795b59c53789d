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
  EXPECT_EQ(PredictionToJson(prediction, {"person", "bicycle"}),
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
  EXPECT_NE(PredictionToJson(prediction, {"a", "b", "c"})
                .find(R"("results":[{"label":"c","class_id":2,"score":0.25}])"),
            std::string::npos);
}

TEST(PredictionJsonTest, IsValidForAnySourceAndNumber) {
  Prediction prediction;
  prediction.source = "\xFF\"\n";
  prediction.times.total_ms = std::numeric_limits<double>::infinity();
  prediction.detections = {{-1, 0, {}}};
  const std::string json = PredictionToJson(prediction, {"a"});
  EXPECT_EQ(json.find("{\"source\":\"\xEF\xBF\xBD\\\"\\n\""), 0u) << json;
  EXPECT_NE(json.find("\"label\":\"-1\""), std::string::npos);
  EXPECT_NE(json.find("\"total\":null"), std::string::npos);
}

}  // namespace
}  // namespace waystone
