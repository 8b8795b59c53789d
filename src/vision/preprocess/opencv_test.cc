// SPDX-License-Identifier: Apache-2.0
//
// Holds bilinear resizing to what OpenCV's INTER_LINEAR makes of the same pictures: hashes that OpenCV 4.6
// and 5.0 both gave, and the input means that the reference pipelines of the models recorded.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/test_data.h"
#include "vision/decode/decode.h"
#include "vision/preprocess/preprocess.h"

namespace waystone {
namespace {

uint64_t Fnv1a(const std::vector<uint8_t>& bytes) {
  uint64_t hash = 1469598103934665603U;
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 1099511628211U;
  return hash;
}

Image Pattern(int width, int height) {
  Image image(width, height);
  for (size_t i = 0; i < image.pixels.size(); ++i)
    image.pixels[i] = static_cast<uint8_t>(i * 2654435761U >> 15);
  return image;
}

TEST(OpenCvTest, BilinearGivesInterLinearBitForBit) {
  const struct {
    int width, height, input_width, input_height;
    uint64_t hash;
  } kCases[] = {
      {1920, 1080, 416, 234, 0xEE53BFD22F58903E}, {640, 480, 416, 312, 0xACCC6050F3E184C0},
      {320, 240, 416, 312, 0xFA7D6A303DFC7B59},   {100, 80, 416, 416, 0x9AFA7EFCDDA0717A},
      {641, 427, 641, 200, 0x7942B0B6DDA16A54},   {7, 5, 3, 9, 0x70AD0218190759C7},
      {2, 1, 5, 4, 0x1A3DEF714E368CDF},           {4096, 17, 33, 8, 0xF4F48B489A617F2B},
  };
  for (const auto& expected : kCases) {
    PreprocessSpec spec;
    spec.width = expected.input_width;
    spec.height = expected.input_height;
    spec.type = DataType::kUint8;
    spec.layout = Layout::kNhwc;
    const auto preprocessor = Preprocessor::Create(spec).value();
    std::vector<uint8_t> row(preprocessor->row_bytes());
    const Image image = Pattern(expected.width, expected.height);
    ASSERT_TRUE(
        preprocessor
            ->Run(image.view(), expected.width, expected.height, std::as_writable_bytes(std::span(row)))
            .ok());
    EXPECT_EQ(Fnv1a(row), expected.hash) << expected.width << "x" << expected.height << " to "
                                         << expected.input_width << "x" << expected.input_height;
  }
}

// The mean of the input tensor that `spec` makes of each photo of the golden file is the recorded one.
void ExpectGoldenMeans(const std::string& golden, const PreprocessSpec& spec) {
  const auto preprocessor = Preprocessor::Create(spec).value();
  const nlohmann::json file = nlohmann::json::parse(ReadTestFile(TestDataPath(golden)));
  ASSERT_FALSE(file["records"].empty());
  std::vector<float> row(preprocessor->row_bytes() / sizeof(float));
  for (const nlohmann::json& record : file["records"]) {
    const std::string name = record["file"];
    const auto picture = DecodePicture(ReadTestFile(TestDataPath("images/coco-open/images/" + name)), {});
    ASSERT_TRUE(picture.ok()) << picture.status();
    const Image& image = picture->image;
    ASSERT_TRUE(
        preprocessor->Run(image.view(), image.width, image.height, std::as_writable_bytes(std::span(row)))
            .ok());
    double sum = 0;
    for (const float value : row) sum += value;
    const double mean = sum / static_cast<double>(row.size());
    const double recorded = record["input_mean"];
    EXPECT_NEAR(mean, recorded, 2e-5 * std::max(1.0, std::abs(recorded))) << name;
  }
}

PreprocessSpec Bgr(int side, ResizeMode resize, Anchor anchor, uint8_t pad) {
  PreprocessSpec spec;
  spec.width = spec.height = side;
  spec.resize = resize;
  spec.anchor = anchor;
  spec.pad = {pad, pad, pad};
  spec.color = ColorOrder::kBgr;
  return spec;
}

TEST(OpenCvTest, ReproducesTheGoldenInputMeansOfYolox) {
  constexpr char kGolden[] = "golden/detect-yolox-nano-coco.json";
  WAYSTONE_SKIP_WITHOUT_DATA(kGolden);
  ExpectGoldenMeans(kGolden, Bgr(416, ResizeMode::kLetterbox, Anchor::kTopLeft, 114));
}

TEST(OpenCvTest, ReproducesTheGoldenInputMeansOfNanodet) {
  constexpr char kGolden[] = "golden/detect-nanodet-m-416-coco.json";
  WAYSTONE_SKIP_WITHOUT_DATA(kGolden);
  PreprocessSpec spec = Bgr(416, ResizeMode::kLetterbox, Anchor::kCenter, 0);
  spec.mean = {103.53F, 116.28F, 123.675F};
  spec.std = {57.375F, 57.12F, 58.395F};
  ExpectGoldenMeans(kGolden, spec);
}

TEST(OpenCvTest, ReproducesTheGoldenInputMeansOfFastestdet) {
  constexpr char kGolden[] = "golden/detect-fastestdet-coco.json";
  WAYSTONE_SKIP_WITHOUT_DATA(kGolden);
  PreprocessSpec spec = Bgr(352, ResizeMode::kStretch, Anchor::kTopLeft, 0);
  spec.scale = 1 / 255.0F;
  ExpectGoldenMeans(kGolden, spec);
}

}  // namespace
}  // namespace waystone
