// SPDX-License-Identifier: Apache-2.0
//
// A picture's decoding from tensors of the real sizes: few scores matter (the usual case), or all do (the
// worst).
#include <random>

#include <benchmark/benchmark.h>

#include "base/check.h"
#include "vision/postprocess/decoder.h"

namespace waystone {
namespace {

ModelSpec SpecOf(DecoderKind kind) {
  ModelSpec spec;
  spec.decoder.kind = kind;
  spec.preprocess.width = spec.preprocess.height = kind == DecoderKind::kSsd ? 300 : 416;
  spec.decoder.strides = {8, 16, 32};
  spec.decoder.feature_sizes = {19, 10, 5, 3, 2, 1};
  spec.decoder.aspect_ratios = {1, 2, 0.5F, 3, 0.3333F};
  spec.decoder.background_classes = kind == DecoderKind::kSsd ? 1 : 0;
  return spec;
}

std::vector<Tensor> OutputsOf(DecoderKind kind, float share_of_high_scores) {
  std::vector<Shape> shapes = {{1, 3549, 85}};
  if (kind == DecoderKind::kNanodet) {
    shapes = {{1, 2704, 80}, {1, 676, 80}, {1, 169, 80}, {1, 2704, 32}, {1, 676, 32}, {1, 169, 32}};
  } else if (kind == DecoderKind::kSsd) {
    shapes = {{1, 1917, 4}, {1, 1917, 91}};
  }
  std::mt19937 random(7);
  std::uniform_real_distribution<float> low(0, 0.05F);
  std::uniform_real_distribution<float> high(0.6F, 0.99F);
  std::bernoulli_distribution is_high(share_of_high_scores);
  std::vector<Tensor> tensors;
  for (const Shape& shape : shapes) {
    absl::StatusOr<Tensor> tensor = Tensor::Create(DataType::kFloat32, shape);
    WAYSTONE_CHECK(tensor.ok(), "a tensor of this size");
    for (float& value : tensor->As<float>()) value = is_high(random) ? high(random) : low(random);
    tensors.push_back(std::move(tensor).value());
  }
  return tensors;
}

void BM_Decode(benchmark::State& state, DecoderKind kind, float share_of_high_scores) {
  const absl::StatusOr<std::unique_ptr<Decoder>> decoder = MakeDecoder(SpecOf(kind));
  std::vector<Tensor> tensors = OutputsOf(kind, share_of_high_scores);
  std::vector<TensorView> views;
  for (Tensor& tensor : tensors) views.push_back(tensor.view());
  for (auto _ : state) benchmark::DoNotOptimize((*decoder)->Decode(views, 0, {}, {}));
}
BENCHMARK_CAPTURE(BM_Decode, yolox_few, DecoderKind::kYolox, 2e-4F);
BENCHMARK_CAPTURE(BM_Decode, yolox_all, DecoderKind::kYolox, 1.0F);
BENCHMARK_CAPTURE(BM_Decode, nanodet_few, DecoderKind::kNanodet, 2e-4F);
BENCHMARK_CAPTURE(BM_Decode, nanodet_all, DecoderKind::kNanodet, 1.0F);
BENCHMARK_CAPTURE(BM_Decode, ssd_few, DecoderKind::kSsd, 2e-4F);
BENCHMARK_CAPTURE(BM_Decode, ssd_all, DecoderKind::kSsd, 1.0F);

}  // namespace
}  // namespace waystone
