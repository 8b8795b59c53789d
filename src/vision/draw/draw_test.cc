// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/draw.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include "vision/draw/draw_style.h"
#include "vision/draw/palette.h"

namespace waystone {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr uint8_t kBackground = 77;

Image Plain(int width, int height) {
  Image image(width, height);
  std::fill(image.pixels.begin(), image.pixels.end(), kBackground);
  return image;
}

std::unique_ptr<Annotator> MakeAnnotator() {
  auto annotator = Annotator::Create();
  EXPECT_TRUE(annotator.ok()) << annotator.status();
  return *std::move(annotator);
}

Prediction Detected(int width, int height, std::vector<Detection> detections) {
  Prediction prediction;
  prediction.width = width;
  prediction.height = height;
  prediction.task = Task::kDetect;
  prediction.detections = std::move(detections);
  return prediction;
}

Color PixelAt(const Image& image, int x, int y) {
  const uint8_t* pixel = image.row(y) + 3 * static_cast<size_t>(x);
  return {pixel[0], pixel[1], pixel[2]};
}

bool Unchanged(const Image& image) {
  return std::all_of(image.pixels.begin(), image.pixels.end(), [](uint8_t v) { return v == kBackground; });
}

TEST(DrawTest, BoxEdgesHaveTheColorOfTheClass) {
  Image image = Plain(640, 480);
  MakeAnnotator()->Draw(Detected(640, 480, {{7, 0.9F, {100, 200, 300, 400}}}), {}, image);
  EXPECT_EQ(PixelAt(image, 100, 300), ClassColor(7));
  EXPECT_EQ(PixelAt(image, 200, 400), ClassColor(7));
  EXPECT_EQ(PixelAt(image, 299, 300), ClassColor(7));
  EXPECT_EQ(PixelAt(image, 200, 300), (Color{kBackground, kBackground, kBackground}));
}

TEST(DrawTest, BoxesAreScaledToASmallerPicture) {
  Image image = Plain(320, 240);
  MakeAnnotator()->Draw(Detected(1280, 960, {{7, 0.9F, {400, 400, 1200, 800}}}), {}, image);
  EXPECT_EQ(PixelAt(image, 100, 150), ClassColor(7));
  EXPECT_EQ(PixelAt(image, 200, 199), ClassColor(7));
}

TEST(DrawTest, LabelIsWrittenOnTheColorOfTheClass) {
  Image image = Plain(640, 480);
  const Color color = ClassColor(0);
  MakeAnnotator()->Draw(Detected(640, 480, {{0, 0.92F, {100, 200, 300, 400}}}), {.labels = {"person"}},
                        image);
  int filled = 0;
  int ink = 0;
  for (int y = 180; y < 199; ++y) {
    for (int x = 100; x < 260; ++x) {
      filled += PixelAt(image, x, y) == color ? 1 : 0;
      ink += PixelAt(image, x, y) == TextColorOn(color) ? 1 : 0;
    }
  }
  EXPECT_GT(filled, 500);
  EXPECT_GT(ink, 100);
}

TEST(DrawTest, ClassWithoutANameIsDrawnByItsNumber) {
  const auto annotator = MakeAnnotator();
  const std::vector<std::string> names = {"0", ""};
  Image by_name = Plain(320, 240);
  Image by_number = Plain(320, 240);
  annotator->Draw(Detected(320, 240, {{0, 0.5F, {40, 60, 200, 200}}}), {.labels = names}, by_name);
  annotator->Draw(Detected(320, 240, {{0, 0.5F, {40, 60, 200, 200}}}), {}, by_number);
  EXPECT_EQ(by_name.pixels, by_number.pixels);
  Image negative = Plain(320, 240);
  annotator->Draw(Detected(320, 240, {{-3, 0.5F, {40, 60, 200, 200}}, {1, 0.4F, {90, 90, 150, 150}}}),
                  {.labels = names}, negative);
  EXPECT_FALSE(Unchanged(negative));
}

TEST(DrawTest, BoxesThatShowNowhereChangeNothing) {
  const Box boxes[] = {{kNan, 10, 50, 50},
                       {10, kNan, 50, 50},
                       {10, 10, kNan, 50},
                       {10, 10, 50, kNan},
                       {60, 10, 50, 50},
                       {10, 60, 50, 50},
                       {-50, -50, -1, -1},
                       {101, 10, 150, 50},
                       {10, 81, 50, 150},
                       {kInfinity, 0, kInfinity, 9},
                       {-kInfinity, 0, -kInfinity, 9}};
  const auto annotator = MakeAnnotator();
  for (const Box& box : boxes) {
    Image image = Plain(100, 80);
    annotator->Draw(Detected(100, 80, {{0, 0.9F, box}}), {.labels = {"person"}}, image);
    EXPECT_TRUE(Unchanged(image)) << box.x_min << ' ' << box.y_min << ' ' << box.x_max << ' ' << box.y_max;
  }
}

TEST(DrawTest, BoxesFarBeyondThePictureAreDrawnAtItsEdge) {
  const auto annotator = MakeAnnotator();
  for (const float far : {150.0F, 1e9F, 3e38F, kInfinity}) {
    Image image = Plain(100, 80);
    annotator->Draw(Detected(100, 80, {{0, 0.9F, {-far, -far, far, far}}}), {.labels = {"person"}}, image);
    EXPECT_EQ(PixelAt(image, 99, 79), ClassColor(0)) << far;
    EXPECT_EQ(PixelAt(image, 0, 79), ClassColor(0)) << far;
    EXPECT_EQ(PixelAt(image, 50, 50), (Color{kBackground, kBackground, kBackground})) << far;
  }
}

TEST(DrawTest, AnyPictureSizeIsDrawnInsideItsMemory) {
  const auto annotator = MakeAnnotator();
  Prediction classes;
  classes.task = Task::kClassify;
  classes.classes = {{0, 0.9F}, {1, kNan}, {2, kInfinity}, {-7, -1.0F}};
  for (const auto& [width, height] : {std::pair{1, 1},
                                      {2, 1},
                                      {1, 50},
                                      {9, 9},
                                      {25, 25},
                                      {26, 26},
                                      {64, 64},
                                      {2000, 26},
                                      {26, 2000},
                                      {300, 200}}) {
    Image image = Plain(width, height);
    const auto side = static_cast<float>(std::max(width, height));
    annotator->Draw(Detected(width, height,
                             {{0, 0.9F, {0, 0, side, side}},
                              {1, kNan, {-side, -side, 1, 1}},
                              {2, 0.3F, {side / 2, side / 3, side * 2, side * 2}},
                              {3, 2.0F, {0, 0, 0, 0}}}),
                    {.labels = {"person", std::string(5000, 'x'), "\xFF\xFE"}}, image);
    annotator->Draw(classes, {.labels = {"person", std::string(5000, 'x'), "\xFF\xFE"}}, image);
    EXPECT_EQ(image.pixels.size(), size_t{3} * width * height);
  }
}

TEST(DrawTest, EmptyPredictionsAndPicturesAreLeftAlone) {
  const auto annotator = MakeAnnotator();
  Image image = Plain(100, 80);
  annotator->Draw(Detected(100, 80, {}), {}, image);
  Prediction none;
  none.task = Task::kClassify;
  annotator->Draw(none, {}, image);
  EXPECT_TRUE(Unchanged(image));
  Image empty;
  annotator->Draw(Detected(100, 80, {{0, 0.9F, {0, 0, 50, 50}}}), {}, empty);
  EXPECT_TRUE(empty.pixels.empty());
}

TEST(DrawTest, PredictionWithoutASizeIsDrawnUnscaled) {
  Image image = Plain(640, 480);
  MakeAnnotator()->Draw(Detected(0, 0, {{7, 0.9F, {100, 200, 300, 400}}}), {}, image);
  EXPECT_EQ(PixelAt(image, 100, 300), ClassColor(7));
}

TEST(DrawTest, BarsOfClassesGrowWithTheirScores) {
  Image image = Plain(640, 480);
  Prediction prediction;
  prediction.task = Task::kClassify;
  prediction.classes = {{4, 0.75F}, {5, 0.25F}};
  MakeAnnotator()->Draw(prediction, {.labels = {"a", "b", "c", "d", "cat", "dog"}}, image);
  const auto count = [&](int class_id) {
    int pixels = 0;
    for (int y = 0; y < 480; ++y) {
      for (int x = 0; x < 640; ++x) pixels += PixelAt(image, x, y) == ClassColor(class_id) ? 1 : 0;
    }
    return pixels;
  };
  EXPECT_GT(count(5), 0);
  EXPECT_NEAR(static_cast<double>(count(4)) / count(5), 3, 0.15);
}

TEST(DrawTest, ThreadsSharingAnAnnotatorDrawTheSame) {
  const auto annotator = MakeAnnotator();
  const Prediction prediction =
      Detected(640, 480, {{0, 0.9F, {100, 200, 300, 400}}, {3, 0.4F, {20, 30, 200, 300}}});
  const AnswerNames labels = {.labels = {"person", "bicycle", "car", "motorcycle"}};
  Image first = Plain(640, 480);
  annotator->Draw(prediction, labels, first);
  std::vector<Image> others(4, Plain(640, 480));
  std::vector<std::thread> threads;
  threads.reserve(others.size());
  for (Image& image : others) threads.emplace_back([&] { annotator->Draw(prediction, labels, image); });
  for (std::thread& thread : threads) thread.join();
  for (const Image& image : others) EXPECT_EQ(image.pixels, first.pixels);
}

TEST(DrawStyleTest, LettersGrowWithThePictureAndStayReadable) {
  EXPECT_EQ(StyleFor(20, 20).font_size, 0);
  EXPECT_EQ(StyleFor(64, 64).font_size, DrawStyle::kLeastFontSize);
  EXPECT_NEAR(StyleFor(640, 480).font_size, 14, 1);
  EXPECT_NEAR(StyleFor(6000, 4000).font_size, 127, 2);
  EXPECT_EQ(StyleFor(64, 64).line, 1);
  EXPECT_GT(StyleFor(6000, 4000).line, 10);
  EXPECT_LE(StyleFor(4000, 40).font_size, 16);  // a label has to fit a narrow picture
  EXPECT_LE(StyleFor(32768, 32768).font_size, 400);
}

}  // namespace
}  // namespace waystone
