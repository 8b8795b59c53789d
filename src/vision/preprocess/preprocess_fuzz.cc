// SPDX-License-Identifier: Apache-2.0
//
// Any spec and any picture: either a refusal, or a row that is written in full and in which every level is
// within one of the reference. The picture's memory ends with its last pixel, so that AddressSanitizer sees
// each read beyond it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "vision/preprocess/preprocess.h"
#include "vision/preprocess/reference.h"

namespace waystone {
namespace {

// Takes values off the front of the input; zeros when it is used up.
class Source {
 public:
  Source(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  template <typename T>
  T Take() {
    T value{};
    const size_t count = std::min(sizeof(T), size_);
    std::memcpy(&value, data_, count);
    data_ += count;
    size_ -= count;
    return value;
  }
  // 1..most, or now and then any number at all.
  int Side(int most) {
    const uint16_t value = Take<uint16_t>();
    return value == 0xFFFF ? Take<int>() : 1 + value % most;
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

PreprocessSpec TakeSpec(Source* source) {
  PreprocessSpec spec;
  spec.width = source->Side(48);
  spec.height = source->Side(48);
  const uint8_t choices = source->Take<uint8_t>();
  spec.resize = static_cast<ResizeMode>(choices % 3);
  spec.filter = (choices & 4) != 0 ? ResizeFilter::kArea : ResizeFilter::kBilinear;
  spec.anchor = (choices & 8) != 0 ? Anchor::kCenter : Anchor::kTopLeft;
  spec.color = (choices & 16) != 0 ? ColorOrder::kBgr : ColorOrder::kRgb;
  spec.layout = (choices & 32) != 0 ? Layout::kNhwc : Layout::kNchw;
  spec.resize_short = source->Side(200);
  constexpr DataType kTypes[] = {DataType::kUint8, DataType::kInt8, DataType::kFloat16, DataType::kFloat32,
                                 DataType::kInt64};
  spec.type = kTypes[source->Take<uint8_t>() % std::size(kTypes)];
  spec.pad = source->Take<std::array<uint8_t, 3>>();
  if ((choices & 64) != 0) {
    spec.scale = source->Take<float>();
    spec.mean = source->Take<std::array<float, 3>>();
    spec.std = source->Take<std::array<float, 3>>();
  }
  return spec;
}

void CheckLevels(PreprocessSpec spec, ImageView image, int picture_width, int picture_height) {
  spec.type = DataType::kUint8;
  spec.layout = Layout::kNhwc;
  spec.scale = 1;
  spec.mean = {0, 0, 0};
  spec.std = {1, 1, 1};
  const auto preprocessor = Preprocessor::Create(spec);
  WAYSTONE_CHECK(preprocessor.ok(), "a spec must not become impossible by another type");
  std::vector<uint8_t> levels((*preprocessor)->row_bytes());
  const auto geometry =
      (*preprocessor)->Run(image, picture_width, picture_height, std::as_writable_bytes(std::span(levels)));
  WAYSTONE_CHECK(geometry.ok(), "a picture must not become impossible by another type");
  const std::vector<double> expected = ReferenceLevels(spec, image, picture_width, picture_height);
  for (size_t i = 0; i < levels.size(); ++i) {
    WAYSTONE_CHECK(std::abs(levels[i] - expected[i]) <= 1.0, "a level differs from the reference");
  }
}

// A side of the picture whose decode has `side`; as it is where no image could have it.
int Enlarged(int side, uint8_t halves) {
  return side > 0 && side <= 5000 ? side + halves % 8 * (side / 2 + 1) : side;
}

void RunOne(Source* source) {
  const PreprocessSpec spec = TakeSpec(source);
  const auto preprocessor = Preprocessor::Create(spec);
  if (!preprocessor.ok()) return;
  constexpr size_t kMostRowBytes = size_t{1} << 18;
  if ((*preprocessor)->row_bytes() > kMostRowBytes) return;
  const int width = source->Take<uint8_t>() < 16 ? source->Side(5000) : source->Side(150);
  const int height = source->Take<uint8_t>() < 16 ? source->Side(5000) : source->Side(150);
  const int picture_width = Enlarged(width, source->Take<uint8_t>());
  const int picture_height = Enlarged(height, source->Take<uint8_t>());
  const size_t gap = source->Take<uint8_t>() % 16;
  std::vector<uint8_t> pixels;
  ImageView image{nullptr, width, height, 3 * static_cast<size_t>(std::max(width, 0)) + gap};
  const bool fits = width > 0 && height > 0 && width <= 5000 && height <= 5000 && width * height <= 100000;
  if (fits) {
    pixels.resize(image.stride * static_cast<size_t>(height) - gap);
    uint32_t state = source->Take<uint32_t>();
    for (uint8_t& pixel : pixels) pixel = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
    image.data = pixels.data();
  }
  std::vector<std::byte> row((*preprocessor)->row_bytes());
  const auto geometry = (*preprocessor)->Run(image, picture_width, picture_height, row);
  WAYSTONE_CHECK(geometry.ok() == fits, "a picture is served if it has pixels");
  if (geometry.ok()) CheckLevels(spec, image, picture_width, picture_height);
}

}  // namespace
}  // namespace waystone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  waystone::Source source(data, size);
  waystone::RunOne(&source);
  return 0;
}
