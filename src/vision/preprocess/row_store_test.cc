// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/row_store.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "hwy/highway.h"
#include <gtest/gtest.h>

#include "vision/preprocess/preprocess.h"
#include "vision/preprocess/reference.h"

namespace waystone {
namespace {

// Every level in every channel, in an order that no vector width divides: what a store makes of it shows all
// it does.
Image AllLevels() {
  Image image(307, 3);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      for (int c = 0; c < 3; ++c) image.row(y)[3 * x + c] = static_cast<uint8_t>(x * 5 + y * 91 + c * 37);
    }
  }
  return image;
}

// The picture has the size of the input, so that levels are copied and only the store differs from a plain
// copy.
PreprocessSpec CopySpec(const Image& image) {
  PreprocessSpec spec;
  spec.width = image.width;
  spec.height = image.height;
  return spec;
}

std::vector<std::byte> Stored(const PreprocessSpec& spec, const Image& image) {
  const auto preprocessor = Preprocessor::Create(spec).value();
  std::vector<std::byte> row(preprocessor->row_bytes());
  EXPECT_TRUE(preprocessor->Run(image.view(), image.width, image.height, row).ok());
  return row;
}

double Element(DataType type, const std::byte* at) {
  if (type == DataType::kFloat32) {
    float value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  if (type == DataType::kFloat16) {
    uint16_t bits;
    std::memcpy(&bits, at, sizeof(bits));
    return HalfToFloat(bits);
  }
  const int byte = static_cast<int>(*at);
  return type == DataType::kInt8 && byte > 127 ? byte - 256 : byte;
}

struct Case {
  std::string name;
  float scale = 1;
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> std = {1, 1, 1};
};

const Case kCases[] = {
    {"identity"},
    {"unit", 1 / 255.0F},
    {"imagenet", 1 / 255.0F, {0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}},
    {"bgr_means", 1, {103.53F, 116.28F, 123.675F}, {57.375F, 57.12F, 58.395F}},
    {"signed", 1, {128, 128, 128}},
    {"saturating", 3, {100, 0, -50}, {1, -1, 2}},
};

// Floats lose a few units in the last place of the terms, not of their difference.
double Tolerance(const PreprocessSpec& spec, double value) {
  if (spec.type == DataType::kUint8 || spec.type == DataType::kInt8) return 0;
  double greatest = 0;
  for (size_t c = 0; c < 3; ++c) {
    greatest =
        std::max<double>(greatest, (255 * spec.scale + std::abs(spec.mean[c])) / std::abs(spec.std[c]));
  }
  const double single = std::ldexp(greatest, -23);
  return spec.type == DataType::kFloat32 ? single : single + std::abs(value) / 1024;  // one more of a half
}

class StoreTest : public ::testing::TestWithParam<std::tuple<DataType, Layout, ColorOrder>> {};

TEST_P(StoreTest, NormalizesEveryLevelAsTheReferenceDoes) {
  const Image image = AllLevels();
  PreprocessSpec spec = CopySpec(image);
  std::tie(spec.type, spec.layout, spec.color) = GetParam();
  for (const Case& values : kCases) {
    SCOPED_TRACE(values.name);
    spec.scale = values.scale;
    spec.mean = values.mean;
    spec.std = values.std;
    std::vector<std::byte> expected(image.pixels.size() * ByteSize(spec.type));
    ReferencePreprocess(spec, image.view(), image.width, image.height, expected);
    const std::vector<std::byte> stored = Stored(spec, image);
    ASSERT_EQ(stored.size(), expected.size());
    for (size_t i = 0; i < stored.size(); i += ByteSize(spec.type)) {
      const double value = Element(spec.type, &expected[i]);
      ASSERT_NEAR(Element(spec.type, &stored[i]), value, Tolerance(spec, value)) << "element " << i;
    }
  }
}

TEST_P(StoreTest, StoresTheSameBitsOnEverySimdTarget) {
  const Image image = AllLevels();
  PreprocessSpec spec = CopySpec(image);
  std::tie(spec.type, spec.layout, spec.color) = GetParam();
  for (const Case& values : kCases) {
    SCOPED_TRACE(values.name);
    spec.scale = values.scale;
    spec.mean = values.mean;
    spec.std = values.std;
    const std::vector<std::byte> best = Stored(spec, image);
    for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      EXPECT_TRUE(Stored(spec, image) == best) << hwy::TargetName(target);
      hwy::SetSupportedTargetsForTest(0);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
  }
}

std::string StoreName(const ::testing::TestParamInfo<std::tuple<DataType, Layout, ColorOrder>>& info) {
  return std::string(Name(std::get<0>(info.param))) +
         (std::get<1>(info.param) == Layout::kNchw ? "Nchw" : "Nhwc") +
         (std::get<2>(info.param) == ColorOrder::kRgb ? "Rgb" : "Bgr");
}

INSTANTIATE_TEST_SUITE_P(All, StoreTest,
                         ::testing::Combine(::testing::Values(DataType::kUint8, DataType::kInt8,
                                                              DataType::kFloat16, DataType::kFloat32),
                                            ::testing::Values(Layout::kNchw, Layout::kNhwc),
                                            ::testing::Values(ColorOrder::kRgb, ColorOrder::kBgr)),
                         StoreName);

TEST(RowStoreTest, TakesTheShortWayForBytesThatAreOnlyShifted) {
  PreprocessSpec spec;
  spec.width = spec.height = 1;
  spec.type = DataType::kInt8;
  spec.mean = {128, 128, 128};
  const ValueTables shifted(spec);
  EXPECT_TRUE(shifted.bytes_are_offset);
  EXPECT_EQ(shifted.offset[0], 0x80);
  spec.mean = {0, 0, 0};  // 128..255 saturate
  EXPECT_FALSE(ValueTables(spec).bytes_are_offset);
}

}  // namespace
}  // namespace waystone
