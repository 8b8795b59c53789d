// SPDX-License-Identifier: Apache-2.0
#include "evaluation/detection_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using ::testing::HasSubstr;

// Three pictures out of order, a crowd region, equal scores within a picture and across pictures, a category
// whose only truth is a crowd and one without truth. The detections of picture 30, 10, 20 in this order.
constexpr char kInstances[] = R"({
  "images": [{"id": 30, "file_name": "30.jpg", "width": 300, "height": 300},
             {"id": 10, "file_name": "10.jpg", "width": 300, "height": 300},
             {"id": 20, "file_name": "20.jpg", "width": 300, "height": 300}],
  "categories": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "name": "c"}, {"id": 4, "name": "d"}],
  "annotations": [
    {"image_id": 30, "category_id": 1, "bbox": [10, 10, 40, 40], "area": 1600, "segmentation": [[1, 2, 3]]},
    {"image_id": 30, "category_id": 1, "bbox": [60, 10, 40, 40], "area": 1600, "iscrowd": 0},
    {"image_id": 30, "category_id": 2, "bbox": [0, 0, 100, 100]},
    {"image_id": 10, "category_id": 1, "bbox": [0, 0, 50, 50]},
    {"image_id": 10, "category_id": 1, "bbox": [100, 0, 200, 200], "iscrowd": 1},
    {"image_id": 20, "category_id": 2, "bbox": [20, 20, 30, 60]},
    {"image_id": 20, "category_id": 2, "bbox": [30, 20, 30, 60]},
    {"image_id": 20, "category_id": 3, "bbox": [0, 0, 10, 10], "iscrowd": 1}]})";

std::vector<std::vector<ScoredBox>> Predictions() {
  return {{{1, 0.9F, {12, 10, 50, 50}},
           {1, 0.8F, {200, 200, 240, 240}},
           {1, 0.8F, {60, 24, 100, 50}},
           {2, 0.7F, {0, 0, 100, 80}}},
          {{1, 0.8F, {0, 0, 40, 50}},
           {1, 0.85F, {120, 20, 180, 80}},
           {1, 0.4F, {130, 20, 190, 80}},
           {1, 0.3F, {2, 0, 50, 50}},
           {4, 0.9F, {0, 0, 10, 10}}},
          {{2, 0.6F, {22, 20, 50, 80}},
           {2, 0.7F, {26, 20, 56, 80}},
           {2, 0.5F, {30, 24, 60, 80}},
           {3, 0.9F, {0, 0, 10, 10}}}};
}

DetectionDataset Parse(const std::string& json) {
  absl::StatusOr<DetectionDataset> dataset = ParseCocoInstances(json);
  EXPECT_TRUE(dataset.ok()) << dataset.status();
  return dataset.ok() ? std::move(dataset).value() : DetectionDataset{};
}

// The expected numbers are those of pycocotools 2.0.11 for the same boxes.
TEST(DetectionMetricsTest, EqualsPycocotools) {
  const DetectionMetrics metrics = EvaluateDetections(Parse(kInstances), Predictions());
  EXPECT_NEAR(metrics.ap, 0.7234405940594059, 1e-12);
  EXPECT_NEAR(metrics.ap50, 0.9579207920792079, 1e-12);
  EXPECT_NEAR(metrics.ap75, 0.8316831683168316, 1e-12);
}

TEST(DetectionMetricsTest, IsMinusOneWithoutTruthAndZeroWithoutDetections) {
  const DetectionDataset empty = Parse(R"({"images": [], "categories": [], "annotations": []})");
  EXPECT_EQ(EvaluateDetections(empty, {}).ap, -1);
  EXPECT_EQ(EvaluateDetections(Parse(kInstances), {{}, {}, {}}).ap, 0);
}

TEST(DetectionMetricsTest, CountsAtMostAHundredDetectionsOfAClass) {
  DetectionDataset dataset;
  dataset.categories[1] = "a";
  dataset.images = {{1, "a.jpg", 100, 100, {{1, {0, 0, 10, 10}, 100, false}}}};
  std::vector<ScoredBox> boxes(99, {1, 0.9F, {50, 50, 60, 60}});
  boxes.push_back({1, 0.5F, {0, 0, 10, 10}});
  EXPECT_NEAR(EvaluateDetections(dataset, {boxes}).ap, 0.01, 1e-9);
  boxes.insert(boxes.begin(), {1, 0.9F, {50, 50, 60, 60}});
  EXPECT_EQ(EvaluateDetections(dataset, {boxes}).ap, 0);
}

TEST(CocoInstancesTest, ReadsWhatIsMeasured) {
  const DetectionDataset dataset = Parse(kInstances);
  ASSERT_EQ(dataset.images.size(), 3u);
  EXPECT_EQ(dataset.images[1].file, "10.jpg");
  ASSERT_EQ(dataset.images[1].boxes.size(), 2u);
  EXPECT_TRUE(dataset.images[1].boxes[1].crowd);
  EXPECT_EQ(dataset.images[1].boxes[1].box.x_max, 300);
  EXPECT_EQ(dataset.images[1].boxes[1].area, 40000);
  EXPECT_EQ(dataset.categories.at(4), "d");
}

struct BadInstances {
  const char* json;
  const char* message;
};

class CocoInstancesErrorTest : public ::testing::TestWithParam<BadInstances> {};

TEST_P(CocoInstancesErrorTest, SaysWhatIsWrongAndWhere) {
  const absl::Status status = ParseCocoInstances(GetParam().json).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
}

#define WAYSTONE_ONE_IMAGE R"("images": [{"id": 1, "file_name": "a.jpg", "width": 1, "height": 1}], )"
#define WAYSTONE_ONE_CATEGORY R"("categories": [{"id": 1, "name": "a"}], )"
INSTANTIATE_TEST_SUITE_P(
    All, CocoInstancesErrorTest,
    ::testing::Values(
        BadInstances{"", "not a JSON object"}, BadInstances{"[]", "not a JSON object"},
        BadInstances{"{\"images\": ", "not a JSON object"},
        BadInstances{"{}", "\"categories\" must be a list"},
        BadInstances{R"({"categories": [1]})", "categories[0]: id must be a whole number"},
        BadInstances{R"({"categories": [{"id": 1, "name": "a"}, {"id": 1, "name": "b"}]})",
                     "categories[1]: id must be"},
        BadInstances{R"({"categories": [{"id": 18446744073709551615, "name": "a"}]})",
                     "id must be a whole number"},
        BadInstances{R"({"categories": [{"id": 1.5, "name": "a"}]})", "id must be a whole number"},
        BadInstances{R"({"categories": [], "images": [{"id": 1, "file_name": "../a"}]})",
                     "file_name must be"},
        BadInstances{R"({"categories": [], "images": [{"id": 1, "file_name": "a", "width": 0}]})",
                     "width must be"},
        BadInstances{"{" WAYSTONE_ONE_IMAGE WAYSTONE_ONE_CATEGORY R"("annotations": {}})", "\"annotations\""},
        BadInstances{"{" WAYSTONE_ONE_IMAGE WAYSTONE_ONE_CATEGORY
                     R"("annotations": [{"category_id": 1, "image_id": 1, "bbox": [0, 0, -1, 1]}]})",
                     "annotations[0]: bbox must be"},
        BadInstances{"{" WAYSTONE_ONE_IMAGE WAYSTONE_ONE_CATEGORY
                     R"("annotations": [{"category_id": 1, "image_id": 1, "bbox": [0, 0, 1e7, 1]}]})",
                     "bbox must be"},
        BadInstances{"{" WAYSTONE_ONE_IMAGE WAYSTONE_ONE_CATEGORY
                     R"("annotations": [{"category_id": 1, "image_id": 2, "bbox": [0, 0, 1, 1]}]})",
                     "image_id must be the id of one of the images"},
        BadInstances{"{" WAYSTONE_ONE_IMAGE WAYSTONE_ONE_CATEGORY
                     R"("annotations": [{"category_id": 2, "image_id": 1, "bbox": [0, 0, 1, 1]}]})",
                     "category_id must be the id of one of the categories"},
        BadInstances{
            "{" WAYSTONE_ONE_IMAGE WAYSTONE_ONE_CATEGORY
            R"("annotations": [{"category_id": 1, "image_id": 1, "bbox": [0, 0, 1, 1], "iscrowd": 2}]})",
            "iscrowd must be"}));

}  // namespace
}  // namespace waystone
