// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/provider_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waystone {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

LoadOptions With(std::map<std::string, std::string> device_options) {
  LoadOptions options;
  options.device_options = std::move(device_options);
  return options;
}

TEST(CudaOptionsTest, ComputesFloat32AsSuchByDefault) {
  const auto provider = CudaOptions({});
  ASSERT_TRUE(provider.ok()) << provider.status();
  EXPECT_THAT(provider->keys, UnorderedElementsAre(Pair("use_tf32", "0")));
  EXPECT_EQ(provider->precision, "f32");
}

TEST(CudaOptionsTest, TranslatesItsOptions) {
  const auto provider = CudaOptions(With({{"device_id", "1"}, {"memory_limit_mb", "2048"}}));
  ASSERT_TRUE(provider.ok()) << provider.status();
  EXPECT_THAT(provider->keys, UnorderedElementsAre(Pair("use_tf32", "0"), Pair("device_id", "1"),
                                                   Pair("gpu_mem_limit", "2147483648")));
}

TEST(CudaOptionsTest, NamesAnUnknownOptionAndABadValue) {
  EXPECT_THAT(CudaOptions(With({{"fp16", "true"}})).status().message(), HasSubstr("no option 'fp16'"));
  EXPECT_THAT(CudaOptions(With({{"device_id", "-1"}})).status().message(), HasSubstr("device_id is '-1'"));
  EXPECT_THAT(CudaOptions(With({{"memory_limit_mb", "9223372036854775807"}})).status().message(),
              HasSubstr("memory_limit_mb"));
}

TEST(TensorRtOptionsTest, TranslatesItsOptions) {
  const auto provider = TensorRtOptions(With({{"device_id", "2"},
                                              {"workspace_mb", "1024"},
                                              {"fp16", "true"},
                                              {"int8", "true"},
                                              {"int8_calibration_table", "table.flatbuffers"},
                                              {"cache_dir", "/var/cache/waystone"},
                                              {"builder_level", "5"}}));
  ASSERT_TRUE(provider.ok()) << provider.status();
  EXPECT_EQ(provider->precision, "f16");
  EXPECT_THAT(
      provider->keys,
      UnorderedElementsAre(
          Pair("device_id", "2"), Pair("trt_max_workspace_size", "1073741824"), Pair("trt_fp16_enable", "1"),
          Pair("trt_int8_enable", "1"), Pair("trt_int8_calibration_table_name", "table.flatbuffers"),
          Pair("trt_engine_cache_enable", "1"), Pair("trt_engine_cache_path", "/var/cache/waystone"),
          Pair("trt_timing_cache_enable", "1"), Pair("trt_timing_cache_path", "/var/cache/waystone"),
          Pair("trt_builder_optimization_level", "5")));
}

TEST(TensorRtOptionsTest, StaysAtFloat32UnlessAsked) {
  const auto provider = TensorRtOptions({});
  ASSERT_TRUE(provider.ok()) << provider.status();
  EXPECT_EQ(provider->precision, "f32");
  EXPECT_TRUE(provider->keys.empty());
}

TEST(TensorRtOptionsTest, TakesThePrecisionOfTheModel) {
  LoadOptions options;
  options.precision = "bf16";
  EXPECT_THAT(TensorRtOptions(options)->keys, Contains(Pair("trt_bf16_enable", "1")));
  options.device_options = {{"fp16", "true"}};
  EXPECT_THAT(TensorRtOptions(options).status().message(), HasSubstr("contradicts"));
}

TEST(TensorRtOptionsTest, KeepsEnginesInTheModelsCacheWhenItHasNoOther) {
  LoadOptions options;
  options.cache_dir = "/cache";
  EXPECT_THAT(TensorRtOptions(options)->keys, Contains(Pair("trt_engine_cache_path", "/cache")));
}

TEST(TensorRtOptionsTest, BoundsTheEngineByBatchSizesAndShapes) {
  LoadOptions options;
  options.batch_sizes = {4, 1, 8};
  options.input_shapes = {{"images", {1, 3, 416, 416}}};
  const auto provider = TensorRtOptions(options);
  ASSERT_TRUE(provider.ok()) << provider.status();
  EXPECT_THAT(provider->keys, Contains(Pair("trt_profile_min_shapes", "images:1x3x416x416")));
  EXPECT_THAT(provider->keys, Contains(Pair("trt_profile_max_shapes", "images:8x3x416x416")));
  EXPECT_THAT(provider->keys, Contains(Pair("trt_profile_opt_shapes", "images:8x3x416x416")));
}

TEST(TensorRtOptionsTest, GivesNoBoundsForANameThatTheProviderWouldMisread) {
  LoadOptions options;
  options.batch_sizes = {1};
  options.input_shapes = {{"inputs:0", {1, 3}}};
  EXPECT_THAT(TensorRtOptions(options)->keys, Not(Contains(Key("trt_profile_min_shapes"))));
}

TEST(TensorRtOptionsTest, NamesAnUnknownOptionAndABadValue) {
  EXPECT_THAT(TensorRtOptions(With({{"fp8", "true"}})).status().message(), HasSubstr("no option 'fp8'"));
  EXPECT_THAT(TensorRtOptions(With({{"fp16", "maybe"}})).status().message(), HasSubstr("fp16 is 'maybe'"));
  EXPECT_THAT(TensorRtOptions(With({{"builder_level", "6"}})).status().message(), HasSubstr("from 0 to 5"));
  EXPECT_THAT(TensorRtOptions(With({{"int8_calibration_table", "t"}})).status().message(),
              HasSubstr("needs int8"));
}

}  // namespace
}  // namespace waystone
