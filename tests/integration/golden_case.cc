// SPDX-License-Identifier: Apache-2.0
#include "integration/golden_case.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "nlohmann/json.hpp"
#include <gtest/gtest.h>

#include "support/engine_testing.h"
#include "support/test_data.h"
#include "vision/decode/decode.h"

namespace waystone {
namespace {

DataType TypeFromNumpy(const std::string& name) {
  static const std::map<std::string, DataType> types = {{"uint8", DataType::kUint8},
                                                        {"int64", DataType::kInt64},
                                                        {"float16", DataType::kFloat16},
                                                        {"float32", DataType::kFloat32}};
  return types.at(name);
}

// Element (c, y, x) of the picture as the network wants it.
float PixelValue(const GoldenRecipe& recipe, const Image& image, size_t channel, int y, int x) {
  const uint8_t* pixel = image.row(y) + 3 * x;
  if (recipe.grey) return static_cast<float>(pixel[0] + pixel[1] + pixel[2]) / 3 * recipe.scale;
  const uint8_t value = pixel[recipe.color == ColorOrder::kRgb ? channel : 2 - channel];
  return (static_cast<float>(value) * recipe.scale - recipe.mean[channel]) / recipe.std[channel];
}

void Store(DataType type, float value, std::byte* where) {
  if (type == DataType::kUint8) {
    *where = static_cast<std::byte>(static_cast<uint8_t>(value));
  } else if (type == DataType::kFloat16) {
    const uint16_t half = FloatToHalf(value);
    std::memcpy(where, &half, sizeof(half));
  } else {
    std::memcpy(where, &value, sizeof(value));
  }
}

void FillFromPicture(const GoldenRecipe& recipe, const std::string& path, Tensor& tensor) {
  const auto decoded = DecodePicture(ReadTestFile(path), {});
  ASSERT_TRUE(decoded.ok()) << path << ": " << decoded.status();
  const Image& image = decoded->image;
  const size_t channels = recipe.grey ? 1 : 3;
  const size_t plane = static_cast<size_t>(image.width) * static_cast<size_t>(image.height);
  const size_t width = ByteSize(tensor.type());
  ASSERT_EQ(tensor.byte_size(), channels * plane * width) << path;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const size_t pixel = static_cast<size_t>(y) * static_cast<size_t>(image.width) + static_cast<size_t>(x);
      for (size_t c = 0; c < channels; ++c) {
        const size_t position = recipe.layout == Layout::kNchw ? c * plane + pixel : pixel * channels + c;
        Store(tensor.type(), PixelValue(recipe, image, c, y, x), tensor.bytes().data() + position * width);
      }
    }
  }
}

void FillFromRawFile(const std::string& path, Tensor& tensor) {
  const std::string content = ReadTestFile(path);
  ASSERT_EQ(content.size(), tensor.byte_size()) << path;
  std::memcpy(tensor.bytes().data(), content.data(), content.size());
}

// The JSON keeps the first eight elements and the mean of what the network was given.
void CheckAgainstSamples(const nlohmann::json& samples, Tensor& tensor) {
  const std::vector<float> values = AsFloats(tensor.view());
  double sum = 0;
  for (const float value : values) sum += value;
  EXPECT_NEAR(sum / static_cast<double>(values.size()), samples["mean"].get<double>(),
              1e-4 * (1 + RangeOf(values)));
  const auto first8 = samples["first8"].get<std::vector<float>>();
  for (size_t i = 0; i < first8.size(); ++i)
    EXPECT_NEAR(values[i], first8[i], 1e-5F * (1 + std::abs(first8[i])));
}

GoldenOutput ReadOutput(const nlohmann::json& json) {
  GoldenOutput output;
  output.name = json["name"];
  output.type = TypeFromNumpy(json["dtype"]);
  output.shape = Shape(json["shape"].get<std::vector<int64_t>>());
  output.min = json["min"];
  output.max = json["max"];
  output.mean = json["mean"];
  output.argmax = json["argmax"];
  for (const auto& sample : json["samples"]) output.samples.emplace_back(sample[0], sample[1]);
  return output;
}

}  // namespace

const std::vector<GoldenRecipe>& GoldenRecipes() {
  constexpr ColorOrder kRgb = ColorOrder::kRgb;
  constexpr ColorOrder kBgr = ColorOrder::kBgr;
  constexpr Layout kNchw = Layout::kNchw;
  constexpr Layout kNhwc = Layout::kNhwc;
  constexpr float kUnit = 1 / 255.0F;    // to [0, 1]
  constexpr float kSigned = 1 / 127.5F;  // with a mean of 1 to [-1, 1]
  static const std::vector<GoldenRecipe> recipes = {
      {"models/blazeface/golden/golden.json", kRgb, kNhwc, kSigned, {1, 1, 1}},
      {"models/deeplabv3-mnv2-257-voc/golden/golden.json", kRgb, kNhwc, kSigned, {1, 1, 1}},
      {"models/face-landmark-468/golden/golden.json", kRgb, kNhwc, kUnit},
      {"models/fastestdet-coco/golden/golden.json", kBgr, kNchw, kUnit},
      {"models/fastestdet-coco/golden/golden_dyn.json", kBgr, kNchw, kUnit},
      {"models/hand-landmark-lite/golden/golden.json", kRgb, kNhwc, kUnit},
      {.golden = "models/lighterglue-l3/golden/golden.json", .raw = true},
      {"models/mobilenet-v1-0.25-128-imagenet-int8/golden/golden.json", kRgb, kNhwc},
      {"models/mobilenet-v1-embedding-int8/golden/golden.json", kRgb, kNhwc},
      {"models/mobilenet-v2-1.0-224-imagenet-int8/golden/golden.json", kRgb, kNhwc},
      {"models/nanodet-m-416-coco/golden/golden.json",
       kBgr,
       kNchw,
       1,
       {103.53F, 116.28F, 123.675F},
       {57.375F, 57.12F, 58.395F}},
      {"models/objectron-3d-chair/golden/golden.json", kRgb, kNhwc, kUnit},
      {"models/objectron-3d-cup/golden/golden.json", kRgb, kNhwc, kUnit},
      {"models/palm-detection-lite/golden/golden.json", kRgb, kNhwc, kUnit},
      {"models/person-reid-0288/golden/golden.json", kBgr, kNhwc},
      {"models/pose-detection/golden/golden.json", kRgb, kNhwc, kSigned, {1, 1, 1}},
      {"models/pose-landmark-lite/golden/golden.json", kRgb, kNhwc, kUnit},
      {"models/selfie-segmentation/golden/golden.json", kRgb, kNhwc, kUnit},
      {"models/squeezenet1.1-imagenet/golden/golden.json", kBgr, kNchw, 1, {104, 117, 123}},
      {"models/squeezenet1.1-imagenet/golden/golden_fp16.json", kBgr, kNchw, 1, {104, 117, 123}},
      {"models/ultraface-rfb-320/golden/golden.json", kRgb, kNchw, 1, {127, 127, 127}, {128, 128, 128}},
      {.golden = "models/xfeat-vga/golden/golden_a.json", .scale = kUnit, .grey = true},
      {.golden = "models/xfeat-vga/golden/golden_b.json", .scale = kUnit, .grey = true},
      {"models/yolox-nano-coco/golden/golden.json", kBgr, kNchw},
      {"models/yunet-n/golden/golden.json", kBgr, kNchw},
  };
  return recipes;
}

GoldenCase ReadGolden(const GoldenRecipe& recipe) {
  const std::filesystem::path path = TestDataPath(recipe.golden);
  const std::filesystem::path folder = path.parent_path().parent_path();
  const nlohmann::json json = nlohmann::json::parse(ReadTestFile(path));
  GoldenCase golden;
  golden.model = (folder / json["model"].get<std::string>()).string();
  for (const auto& [name, samples] : json["input_samples"].items()) {
    Tensor tensor =
        *Tensor::Create(TypeFromNumpy(samples["dtype"]), Shape(samples["shape"].get<std::vector<int64_t>>()));
    if (recipe.raw) {
      FillFromRawFile(path.parent_path() / (name + ".f32"), tensor);
    } else {
      FillFromPicture(recipe, folder / json["input_image"].get<std::string>(), tensor);
    }
    CheckAgainstSamples(samples, tensor);
    golden.inputs.push_back({name, std::move(tensor)});
  }
  for (const auto& output : json["outputs"]) golden.outputs.push_back(ReadOutput(output));
  return golden;
}

}  // namespace waystone
