// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/preprocess.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "hwy/highway.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "types/tensor.h"
#include "vision/preprocess/reference.h"
#include "vision/preprocess/test_pictures.h"

namespace waystone {
namespace {

struct Sides {
  int width;
  int height;
};

PreprocessSpec Spec(int width, int height, ResizeMode resize, ResizeFilter filter) {
  PreprocessSpec spec;
  spec.width = width;
  spec.height = height;
  spec.resize = resize;
  spec.filter = filter;
  spec.pad = {11, 22, 33};
  spec.resize_short = std::max(width, height) + 9;
  return spec;
}

// Whole levels, interleaved, as the fused pass makes them.
std::vector<uint8_t> Levels(PreprocessSpec spec, ImageView image, int picture_width, int picture_height) {
  spec.type = DataType::kUint8;
  spec.layout = Layout::kNhwc;
  spec.scale = 1;
  spec.mean = {0, 0, 0};
  spec.std = {1, 1, 1};
  const auto preprocessor = Preprocessor::Create(spec);
  EXPECT_TRUE(preprocessor.ok()) << preprocessor.status();
  std::vector<uint8_t> levels((*preprocessor)->row_bytes());
  const auto geometry =
      (*preprocessor)->Run(image, picture_width, picture_height, std::as_writable_bytes(std::span(levels)));
  EXPECT_TRUE(geometry.ok()) << geometry.status();
  return levels;
}

// No level may be further from the exact mean than the arithmetic of its filter allows. Bilinear is OpenCV's,
// which cuts where it could round; area rounds, and rounds the right way but for a few means too close to the
// middle for floats.
void ExpectLevelsOfReference(const PreprocessSpec& spec, ImageView image, int picture_width,
                             int picture_height) {
  const bool area = spec.filter == ResizeFilter::kArea;
  const double tolerance = area ? 0.5 + 1.0 / 1024 : 1.0;
  const std::vector<uint8_t> levels = Levels(spec, image, picture_width, picture_height);
  const std::vector<double> expected = ReferenceLevels(spec, image, picture_width, picture_height);
  ASSERT_EQ(levels.size(), expected.size());
  double worst = 0;
  size_t at = 0;
  size_t other = 0;
  for (size_t i = 0; i < levels.size(); ++i) {
    const double difference = std::abs(levels[i] - expected[i]);
    if (difference > worst) std::tie(worst, at) = std::tie(difference, i);
    other += levels[i] != RoundLevel(expected[i]) ? 1 : 0;
  }
  EXPECT_LE(worst, tolerance) << "pixel " << at / 3 % spec.width << "," << at / 3 / spec.width << " channel "
                              << at % 3 << ": " << int{levels[at]} << " instead of " << expected[at]
                              << "; image " << image.width << "x" << image.height << " to " << spec.width
                              << "x" << spec.height;
  if (area) {
    EXPECT_LE(other, 3 + levels.size() / 1000)
        << "image " << image.width << "x" << image.height << " to " << spec.width << "x" << spec.height;
  }
}

class ResizeTest : public ::testing::TestWithParam<std::tuple<ResizeMode, ResizeFilter>> {
 protected:
  PreprocessSpec SpecOf(int width, int height) const {
    return Spec(width, height, std::get<0>(GetParam()), std::get<1>(GetParam()));
  }
};

TEST_P(ResizeTest, AgreesWithTheReferenceAtManySizes) {
  const Sides pictures[] = {{1, 1},   {1, 7},   {7, 1},   {2, 2},    {3, 5},
                            {16, 16}, {33, 31}, {64, 48}, {97, 203}, {320, 240}};
  const Sides inputs[] = {{1, 1}, {2, 3}, {5, 5}, {16, 16}, {32, 32}, {31, 47}, {65, 40}};
  for (const Sides& picture : pictures) {
    const NoisePicture image(picture.width, picture.height, 5);
    for (const Sides& input : inputs) {
      PreprocessSpec spec = SpecOf(input.width, input.height);
      ExpectLevelsOfReference(spec, image.view, picture.width, picture.height);
      spec.color = ColorOrder::kBgr;
      spec.anchor = Anchor::kCenter;
      ExpectLevelsOfReference(spec, image.view, picture.width, picture.height);
    }
  }
}

TEST_P(ResizeTest, AgreesWithTheReferenceAtExtremeAspects) {
  for (const Sides& picture : {Sides{60000, 1}, Sides{1, 60000}, Sides{5000, 3}, Sides{2, 5000}}) {
    const NoisePicture image(picture.width, picture.height);
    ExpectLevelsOfReference(SpecOf(40, 24), image.view, picture.width, picture.height);
  }
}

TEST_P(ResizeTest, AgreesWithTheReferenceOnASmallerDecode) {
  PreprocessSpec spec = SpecOf(52, 52);
  spec.anchor = Anchor::kCenter;
  for (const Sides& decode : {Sides{641, 427}, Sides{321, 214}, Sides{161, 107}, Sides{81, 54}}) {
    const NoisePicture image(decode.width, decode.height, 1);
    ExpectLevelsOfReference(spec, image.view, 641, 427);
  }
}

TEST_P(ResizeTest, KeepsAPlainPictureAsItIs) {
  for (const int level : {0, 1, 127, 128, 254, 255}) {
    Image image(123, 77);
    std::fill(image.pixels.begin(), image.pixels.end(), static_cast<uint8_t>(level));
    PreprocessSpec spec = SpecOf(60, 60);
    spec.pad.fill(static_cast<uint8_t>(level));
    for (const uint8_t value : Levels(spec, image.view(), image.width, image.height)) ASSERT_EQ(value, level);
  }
}

TEST_P(ResizeTest, GivesTheReferenceLevelsOnEverySimdTarget) {
  const NoisePicture image(203, 151, 2);
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (const Sides& input : {Sides{52, 52}, Sides{71, 39}, Sides{300, 260}}) {
      ExpectLevelsOfReference(SpecOf(input.width, input.height), image.view, 203, 151);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::string ResizeName(const ::testing::TestParamInfo<std::tuple<ResizeMode, ResizeFilter>>& info) {
  const ResizeMode mode = std::get<0>(info.param);
  return std::string(mode == ResizeMode::kStretch     ? "Stretch"
                     : mode == ResizeMode::kLetterbox ? "Letterbox"
                                                      : "CenterCrop") +
         (std::get<1>(info.param) == ResizeFilter::kArea ? "Area" : "Bilinear");
}

INSTANTIATE_TEST_SUITE_P(All, ResizeTest,
                         ::testing::Combine(::testing::Values(ResizeMode::kStretch, ResizeMode::kLetterbox,
                                                              ResizeMode::kCenterCrop),
                                            ::testing::Values(ResizeFilter::kBilinear, ResizeFilter::kArea)),
                         ResizeName);

TEST(PreprocessTest, CopiesAPictureThatHasTheSizeOfTheInput) {
  const NoisePicture image(37, 21);
  for (const ResizeFilter filter : {ResizeFilter::kBilinear, ResizeFilter::kArea}) {
    EXPECT_EQ(Levels(Spec(37, 21, ResizeMode::kStretch, filter), image.view, 37, 21), image.bytes);
  }
}

TEST(PreprocessTest, RoundsExactHalvesUpWhenHalvingAPicture) {
  Image image(2, 2);
  image.pixels = {0, 1, 255, 1, 2, 255, 0, 1, 254, 1, 2, 254};  // means 0.5, 1.5, 254.5
  for (const ResizeFilter filter : {ResizeFilter::kBilinear, ResizeFilter::kArea}) {
    EXPECT_THAT(Levels(Spec(1, 1, ResizeMode::kStretch, filter), image.view(), 2, 2),
                testing::ElementsAre(1, 2, 255));
  }
}

TEST(PreprocessTest, AreaIsTheMeanOfTheCoveredPixels) {
  Image image(3, 1);
  image.pixels = {0, 0, 0, 90, 90, 90, 240, 240, 240};
  EXPECT_THAT(Levels(Spec(2, 1, ResizeMode::kStretch, ResizeFilter::kArea), image.view(), 3, 1),
              testing::ElementsAre(30, 30, 30, 190, 190, 190));  // (0 + 90 / 2) / 1.5, (90 / 2 + 240) / 1.5
}

TEST(PreprocessTest, PadsInTheOrderOfTheInputsColours) {
  Image image(2, 1);
  image.pixels = {1, 2, 3, 1, 2, 3};
  PreprocessSpec spec = Spec(2, 3, ResizeMode::kLetterbox, ResizeFilter::kBilinear);
  spec.color = ColorOrder::kBgr;
  spec.anchor = Anchor::kCenter;
  EXPECT_THAT(Levels(spec, image.view(), 2, 1),
              testing::ElementsAre(11, 22, 33, 11, 22, 33, 3, 2, 1, 3, 2, 1, 11, 22, 33, 11, 22, 33));
}

TEST(PreprocessTest, ReportsTheGeometryOfTheFullSizePicture) {
  PreprocessSpec spec = Spec(416, 416, ResizeMode::kLetterbox, ResizeFilter::kBilinear);
  spec.anchor = Anchor::kCenter;
  const auto preprocessor = Preprocessor::Create(spec).value();
  Tensor tensor = Tensor::Create(spec.type, {1, 3, 416, 416}).value();
  const NoisePicture decode(480, 270);
  const InputGeometry geometry = preprocessor->Run(decode.view, 1920, 1080, tensor.row(0)).value();
  EXPECT_FLOAT_EQ(geometry.scale_x, 416.0F / 1920);
  EXPECT_FLOAT_EQ(geometry.scale_y, 416.0F / 1920);
  EXPECT_EQ(geometry.offset_x, 0);
  EXPECT_EQ(geometry.offset_y, 91);
  EXPECT_EQ(geometry.picture_width, 1920);
  EXPECT_EQ(geometry.picture_height, 1080);
}

TEST(PreprocessTest, AsksForTwiceTheTargetSizeOrTheWholePicture) {
  const auto letterbox =
      Preprocessor::Create(Spec(416, 416, ResizeMode::kLetterbox, ResizeFilter::kBilinear)).value();
  const Preprocessor::Size large = letterbox->LeastSourceSize(1920, 1080);
  EXPECT_EQ(large.width, 832);
  EXPECT_EQ(large.height, 468);
  const Preprocessor::Size small = letterbox->LeastSourceSize(640, 480);
  EXPECT_EQ(small.width, 640);
  EXPECT_EQ(small.height, 480);
  PreprocessSpec spec = Spec(224, 224, ResizeMode::kCenterCrop, ResizeFilter::kArea);
  spec.resize_short = 256;
  const Preprocessor::Size crop = Preprocessor::Create(spec).value()->LeastSourceSize(4000, 3000);
  EXPECT_EQ(crop.width, 682);
  EXPECT_EQ(crop.height, 512);
}

TEST(PreprocessTest, AsksForTheWholePictureWhenTheSizeMakesNoSense) {
  const auto preprocessor =
      Preprocessor::Create(Spec(416, 416, ResizeMode::kLetterbox, ResizeFilter::kBilinear)).value();
  EXPECT_EQ(preprocessor->LeastSourceSize(0, 10).width, 0);
  EXPECT_EQ(preprocessor->LeastSourceSize(0, 10).height, 10);
}

TEST(PreprocessTest, WritesItsRowOfTheBatchOnly) {
  constexpr std::byte kGuard{0xA5};
  const NoisePicture image(50, 41);
  for (const DataType type : {DataType::kUint8, DataType::kInt8, DataType::kFloat16, DataType::kFloat32}) {
    for (const Layout layout : {Layout::kNchw, Layout::kNhwc}) {
      for (const int width : {1, 3, 7, 33, 61}) {
        PreprocessSpec spec = Spec(width, 19, ResizeMode::kLetterbox, ResizeFilter::kBilinear);
        spec.type = type;
        spec.layout = layout;
        spec.anchor = Anchor::kCenter;
        const auto preprocessor = Preprocessor::Create(spec).value();
        const size_t row_bytes = preprocessor->row_bytes();
        std::vector<std::byte> batch(3 * row_bytes, kGuard);
        ASSERT_TRUE(
            preprocessor->Run(image.view, 50, 41, std::span(batch).subspan(row_bytes, row_bytes)).ok());
        const auto is_guard = [](std::byte byte) { return byte == kGuard; };
        const auto middle = batch.begin() + static_cast<ptrdiff_t>(row_bytes);
        EXPECT_TRUE(std::all_of(batch.begin(), middle, is_guard)) << Name(type) << " width " << width;
        EXPECT_TRUE(std::all_of(middle + static_cast<ptrdiff_t>(row_bytes), batch.end(), is_guard))
            << Name(type) << " width " << width;
      }
    }
  }
}

TEST(PreprocessTest, GivesEveryThreadTheSameRow) {
  const NoisePicture image(333, 222);
  const NoisePicture other(120, 99);
  PreprocessSpec spec = Spec(64, 64, ResizeMode::kLetterbox, ResizeFilter::kArea);
  const auto preprocessor = Preprocessor::Create(spec).value();
  const auto run = [&](const NoisePicture& picture) {
    std::vector<float> row(preprocessor->row_bytes() / sizeof(float));
    const ImageView view = picture.view;
    EXPECT_TRUE(
        preprocessor->Run(view, view.width, view.height, std::as_writable_bytes(std::span(row))).ok());
    return row;
  };
  const std::vector<float> expected = run(image);
  const std::vector<float> expected_other = run(other);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 8; ++repeat) {
        EXPECT_EQ(run(image), expected);
        EXPECT_EQ(run(other), expected_other);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(PreprocessTest,
     ForgetsNothingBetweenGeometries) {  // more geometries than a thread keeps tables for, twice
  const PreprocessSpec spec = Spec(24, 24, ResizeMode::kStretch, ResizeFilter::kBilinear);
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (int side = 20; side < 30; ++side) {
      const NoisePicture image(side, side + 3);
      ExpectLevelsOfReference(spec, image.view, side, side + 3);
    }
  }
}

}  // namespace
}  // namespace waystone
