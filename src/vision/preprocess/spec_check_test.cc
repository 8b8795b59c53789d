// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/spec_check.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "types/tensor.h"
#include "vision/preprocess/placement.h"
#include "vision/preprocess/preprocess.h"
#include "vision/preprocess/test_pictures.h"

namespace waystone {
namespace {

using ::testing::HasSubstr;

PreprocessSpec Spec(int width, int height, ResizeMode resize) {
  PreprocessSpec spec;
  spec.width = width;
  spec.height = height;
  spec.resize = resize;
  spec.resize_short = std::max(width, height);
  return spec;
}

absl::Status CreateStatus(const PreprocessSpec& spec) { return Preprocessor::Create(spec).status(); }

void ExpectInvalid(const absl::Status& status, const std::string& text) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(text));
}

TEST(SpecCheckTest, RefusesImpossibleSpecs) {
  PreprocessSpec good = Spec(416, 416, ResizeMode::kLetterbox);
  ASSERT_TRUE(CreateStatus(good).ok());
  PreprocessSpec spec = good;
  spec.width = 0;
  ExpectInvalid(CreateStatus(spec), "0x416, each side must be within 1..8192");
  spec = good;
  spec.height = 8193;
  ExpectInvalid(CreateStatus(spec), "416x8193");
  spec = good;
  spec.type = DataType::kInt64;
  ExpectInvalid(CreateStatus(spec), "INT64 is not served");
  spec = good;
  spec.std[1] = 0;
  ExpectInvalid(CreateStatus(spec), "std[1] is 0");
  spec = good;
  spec.mean[2] = std::numeric_limits<float>::quiet_NaN();
  ExpectInvalid(CreateStatus(spec), "mean[2] is nan");
  spec = good;
  spec.scale = std::numeric_limits<float>::infinity();
  ExpectInvalid(CreateStatus(spec), "scale is inf");
  spec = good;
  spec.scale = 0;
  ExpectInvalid(CreateStatus(spec), "scale is 0");
  spec = good;
  spec.scale = 1e-30F;
  spec.mean[0] = 1e30F;
  ExpectInvalid(CreateStatus(spec), "exceed the range of float");
}

TEST(SpecCheckTest, AcceptsTheLargestInputAndNoLarger) {
  EXPECT_TRUE(CreateStatus(Spec(8192, 8192, ResizeMode::kStretch)).ok());
  ExpectInvalid(CreateStatus(Spec(8193, 1, ResizeMode::kStretch)), "8193x1");
}

TEST(SpecCheckTest, RefusesToCropMoreThanTheShortSideHas) {
  PreprocessSpec spec = Spec(224, 160, ResizeMode::kCenterCrop);
  spec.resize_short = 224;
  EXPECT_TRUE(CreateStatus(spec).ok());
  spec.resize_short = 223;
  ExpectInvalid(CreateStatus(spec),
                "resize_short is 223, to cut 224x160 from the middle it must be within 224..16384");
  spec.resize_short = 16385;
  ExpectInvalid(CreateStatus(spec), "resize_short is 16385");
}

class PictureCheckTest : public ::testing::Test {
 protected:
  absl::Status Run(ImageView image, int picture_width, int picture_height) {
    return preprocessor_->Run(image, picture_width, picture_height, tensor_.row(0)).status();
  }

  const NoisePicture image_{20, 10};
  const std::unique_ptr<Preprocessor> preprocessor_ =
      Preprocessor::Create(Spec(8, 8, ResizeMode::kStretch)).value();
  Tensor tensor_ = Tensor::Create(DataType::kFloat32, {2, 3, 8, 8}).value();
};

TEST_F(PictureCheckTest, RefusesPicturesWithoutPixels) {
  ImageView view = image_.view;
  ASSERT_TRUE(Run(view, 20, 10).ok());
  view.data = nullptr;
  ExpectInvalid(Run(view, 20, 10), "no data");
  view = image_.view;
  view.width = 0;
  ExpectInvalid(Run(view, 20, 10), "image is 0x10");
  view = image_.view;
  view.height = -1;
  ExpectInvalid(Run(view, 20, 10), "image is 20x-1");
  view = image_.view;
  view.stride = 59;
  ExpectInvalid(Run(view, 20, 10), "stride is 59 bytes, its rows have 60");
  ExpectInvalid(Run(image_.view, 0, 10), "picture is 0x10");
}

TEST_F(PictureCheckTest, RefusesImagesLargerThanTheirPicture) {
  ExpectInvalid(Run(image_.view, 19, 10), "image is 20x10, it must be within 1x1..19x10");
  ExpectInvalid(Run(image_.view, 20, 9), "20x9");
}

TEST_F(PictureCheckTest, RefusesPicturesBeyondTheLongestSide) {
  EXPECT_TRUE(Run(image_.view, kMaxPictureSide, 10).ok());
  ExpectInvalid(Run(image_.view, kMaxPictureSide + 1, 10), "1048577x10, each side must be within 1..1048576");
}

TEST_F(PictureCheckTest, RefusesRowsOfAnotherSize) {
  const std::span<std::byte> whole = tensor_.bytes();
  ExpectInvalid(preprocessor_->Run(image_.view, 20, 10, whole).status(),
                "the row has 1536 bytes, the input needs 768");
  ExpectInvalid(preprocessor_->Run(image_.view, 20, 10, whole.subspan(0, 767)).status(), "767 bytes");
}

TEST_F(PictureCheckTest, RefusesRowsThatAreNotAligned) {
  ExpectInvalid(preprocessor_->Run(image_.view, 20, 10, tensor_.bytes().subspan(2, 768)).status(),
                "not aligned");
}

}  // namespace
}  // namespace waystone
