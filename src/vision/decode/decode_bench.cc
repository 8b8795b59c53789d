// SPDX-License-Identifier: Apache-2.0
//
// Decoding a camera's frame: JPEG at full size and at the scale that a 416 pixel network needs, upright and
// turned, and the other formats beside it. Counters: source pixels a second.
#include <benchmark/benchmark.h>

#include "vision/decode/decode.h"
#include "vision/decode/test_pictures.h"

namespace waystone {
namespace {

// A pattern with detail, so that the entropy coder has work as with a photo.
Image Scene(int width, int height) {
  Image image = TestPattern(width, height);
  uint32_t state = 1;
  for (uint8_t& channel : image.pixels) {
    state = state * 1664525 + 1013904223;
    channel = static_cast<uint8_t>(channel + (state >> 28));
  }
  return image;
}

void Decode(benchmark::State& state, const std::string& encoded, const DecodeOptions& options,
            int64_t pixels) {
  for (auto step : state) benchmark::DoNotOptimize(DecodePicture(encoded, options));
  state.SetItemsProcessed(state.iterations() * pixels);
}

void BM_JpegFull(benchmark::State& state) {
  static const std::string jpeg = Encoded(Scene(1920, 1080), EncodedFormat::kJpeg, 85);
  Decode(state, jpeg, {}, 1920 * 1080);
}
BENCHMARK(BM_JpegFull)->Unit(benchmark::kMillisecond);

void BM_JpegScaledFor416(benchmark::State& state) {
  static const std::string jpeg = Encoded(Scene(1920, 1080), EncodedFormat::kJpeg, 85);
  DecodeOptions options;
  options.min_width = 416;
  options.min_height = 234;
  Decode(state, jpeg, options, 1920 * 1080);
}
BENCHMARK(BM_JpegScaledFor416)->Unit(benchmark::kMillisecond);

void BM_JpegTurned(benchmark::State& state) {
  static const std::string jpeg =
      WithExif(Encoded(Scene(1920, 1080), EncodedFormat::kJpeg, 85), OrientationTiff(6));
  Decode(state, jpeg, {}, 1920 * 1080);
}
BENCHMARK(BM_JpegTurned)->Unit(benchmark::kMillisecond);

void BM_JpegHeader(benchmark::State& state) {
  static const std::string jpeg = Encoded(Scene(1920, 1080), EncodedFormat::kJpeg, 85);
  for (auto step : state) benchmark::DoNotOptimize(ReadPictureInfo(jpeg, PictureLimits()));
}
BENCHMARK(BM_JpegHeader)->Unit(benchmark::kMicrosecond);

void BM_Png(benchmark::State& state) {
  static const std::string png = Encoded(Scene(1920, 1080), EncodedFormat::kPng);
  Decode(state, png, {}, 1920 * 1080);
}
BENCHMARK(BM_Png)->Unit(benchmark::kMillisecond);

void BM_Webp(benchmark::State& state) {
  static const std::string webp = Encoded(Scene(1920, 1080), EncodedFormat::kWebp, 85);
  Decode(state, webp, {}, 1920 * 1080);
}
BENCHMARK(BM_Webp)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace waystone
