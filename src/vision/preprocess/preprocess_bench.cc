// SPDX-License-Identifier: Apache-2.0
//
// One picture to one tensor row on one thread: ours beside OpenCV's resize + copyMakeBorder + cvtColor +
// convertTo + split, which is how such pipelines are written with it. Pairs share a name up to the last part;
// compare medians of
//   waystone_vision_preprocess_bench --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true
#include <memory>
#include <random>
#include <vector>

#include "opencv2/core.hpp"
#include "opencv2/imgproc.hpp"
#include <benchmark/benchmark.h>

#include "types/tensor.h"
#include "vision/preprocess/preprocess.h"

namespace waystone {
namespace {

Image NoisyGradient(int width, int height) {
  std::mt19937 random(7);
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < 3 * width; ++x) {
      image.row(y)[x] = static_cast<uint8_t>((x / 12 + y / 4 + static_cast<int>(random() % 32)) & 255);
    }
  }
  return image;
}

PreprocessSpec Letterbox416() {
  PreprocessSpec spec;
  spec.width = spec.height = 416;
  spec.resize = ResizeMode::kLetterbox;
  spec.color = ColorOrder::kBgr;
  return spec;
}

PreprocessSpec Bytes416() {
  PreprocessSpec spec = Letterbox416();
  spec.color = ColorOrder::kRgb;
  spec.layout = Layout::kNhwc;
  spec.type = DataType::kUint8;
  return spec;
}

PreprocessSpec Crop224() {
  PreprocessSpec spec;
  spec.width = spec.height = 224;
  spec.resize = ResizeMode::kCenterCrop;
  spec.resize_short = 256;
  spec.filter = ResizeFilter::kArea;
  spec.color = ColorOrder::kBgr;
  spec.mean = {104, 117, 123};
  return spec;
}

PreprocessSpec WithType(PreprocessSpec spec, DataType type) {
  spec.type = type;
  return spec;
}

PreprocessSpec WithFilter(PreprocessSpec spec, ResizeFilter filter) {
  spec.filter = filter;
  return spec;
}

void Ours(benchmark::State& state, const PreprocessSpec& spec, int width, int height) {
  const Image image = NoisyGradient(width, height);
  const std::unique_ptr<Preprocessor> preprocessor = Preprocessor::Create(spec).value();
  Tensor tensor = Tensor::Create(spec.type, {1, 3, spec.height, spec.width}).value();
  for (auto _ : state) {
    benchmark::DoNotOptimize(preprocessor->Run(image.view(), width, height, tensor.row(0)).value());
    benchmark::ClobberMemory();
  }
}

// The picture in the middle or at the top left of the network's input, as 8-bit pixels in the order of
// spec.color.
cv::Mat OpenCvPixels(const PreprocessSpec& spec, const cv::Mat& picture, cv::Mat* scratch) {
  const int interpolation = spec.filter == ResizeFilter::kArea ? cv::INTER_AREA : cv::INTER_LINEAR;
  const double factor = spec.resize == ResizeMode::kCenterCrop
                            ? spec.resize_short / static_cast<double>(std::min(picture.cols, picture.rows))
                            : std::min(spec.width / static_cast<double>(picture.cols),
                                       spec.height / static_cast<double>(picture.rows));
  const cv::Size size(static_cast<int>(picture.cols * factor + 1e-6),
                      static_cast<int>(picture.rows * factor + 1e-6));
  cv::resize(picture, scratch[0], size, 0, 0, interpolation);
  cv::Mat pixels = scratch[0];
  if (spec.resize == ResizeMode::kCenterCrop) {
    pixels = pixels(
        cv::Rect((size.width - spec.width) / 2, (size.height - spec.height) / 2, spec.width, spec.height));
  } else {
    cv::copyMakeBorder(pixels, scratch[1], 0, spec.height - size.height, 0, spec.width - size.width,
                       cv::BORDER_CONSTANT, cv::Scalar(114, 114, 114));
    pixels = scratch[1];
  }
  if (spec.color == ColorOrder::kRgb) return pixels;
  cv::cvtColor(pixels, scratch[2], cv::COLOR_RGB2BGR);
  return scratch[2];
}

void OpenCv(benchmark::State& state, const PreprocessSpec& spec, int width, int height) {
  cv::setNumThreads(1);
  Image image = NoisyGradient(width, height);
  const cv::Mat picture(height, width, CV_8UC3, image.pixels.data());
  Tensor tensor = Tensor::Create(spec.type, {1, 3, spec.height, spec.width}).value();
  cv::Mat scratch[4];
  std::vector<cv::Mat> planes;
  const size_t plane = static_cast<size_t>(spec.width) * static_cast<size_t>(spec.height);
  const bool subtract = spec.mean != std::array<float, 3>{0, 0, 0};
  if (spec.layout == Layout::kNchw) {
    for (size_t c = 0; c < 3; ++c) {
      planes.emplace_back(spec.height, spec.width, CV_32F, tensor.As<float>().data() + c * plane);
    }
  }
  cv::Mat interleaved(spec.height, spec.width, CV_8UC3, tensor.bytes().data());
  for (auto _ : state) {
    const cv::Mat pixels = OpenCvPixels(spec, picture, scratch);
    if (spec.type == DataType::kUint8) {
      pixels.copyTo(interleaved);
    } else {
      pixels.convertTo(scratch[3], CV_32F);
      if (subtract)
        cv::subtract(scratch[3], cv::Scalar(spec.mean[0], spec.mean[1], spec.mean[2]), scratch[3]);
      cv::split(scratch[3], planes);
    }
    benchmark::ClobberMemory();
  }
}

#define WAYSTONE_BENCH_PAIR(name, spec, width, height)                               \
  BENCHMARK_CAPTURE(Ours, name, spec, width, height)->Unit(benchmark::kMicrosecond); \
  BENCHMARK_CAPTURE(OpenCv, name, spec, width, height)->Unit(benchmark::kMicrosecond)

WAYSTONE_BENCH_PAIR(1080p_letterbox416_bilinear_bgr_f32_nchw, Letterbox416(), 1920, 1080);
WAYSTONE_BENCH_PAIR(1080p_letterbox416_area_bgr_f32_nchw, WithFilter(Letterbox416(), ResizeFilter::kArea),
                    1920, 1080);
WAYSTONE_BENCH_PAIR(640x480_letterbox416_bilinear_bgr_f32_nchw, Letterbox416(), 640, 480);
WAYSTONE_BENCH_PAIR(320x240_letterbox416_bilinear_bgr_f32_nchw, Letterbox416(), 320, 240);
WAYSTONE_BENCH_PAIR(1080p_letterbox416_bilinear_rgb_u8_nhwc, Bytes416(), 1920, 1080);
WAYSTONE_BENCH_PAIR(640x480_letterbox416_bilinear_rgb_u8_nhwc, Bytes416(), 640, 480);
WAYSTONE_BENCH_PAIR(640x480_crop224_area_bgr_f32_nchw, Crop224(), 640, 480);
BENCHMARK_CAPTURE(Ours, 1080p_letterbox416_bilinear_bgr_f16_nchw,
                  WithType(Letterbox416(), DataType::kFloat16), 1920, 1080)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Ours, 1080p_letterbox416_bilinear_bgr_i8_nchw, WithType(Letterbox416(), DataType::kInt8),
                  1920, 1080)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace waystone
