// SPDX-License-Identifier: Apache-2.0
#include "vision/encode/encode.h"

#include <cstdlib>
#include <memory>
#include <new>
#include <spng.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include <webp/encode.h>

#include "base/status.h"
#include "vision/encode/jpeg_writer.h"

namespace waystone {
namespace {

constexpr int kLargestPngSide = 1 << 30;  // the format's is 2^31 - 1; a row has to fit a size here

absl::Status CheckSides(ImageView image, const char* format, int limit) {
  if (image.width <= limit && image.height <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("encode ", format, ": the picture is ", image.width, " x ",
                                                 image.height, " pixels, the format holds ", limit,
                                                 " a side"));
}

absl::Status CheckPicture(ImageView image, int quality) {
  if (image.data == nullptr || image.width < 1 || image.height < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("encode picture: the picture is empty (", image.width, " x ", image.height, " pixels)"));
  }
  if (image.stride / 3 < static_cast<size_t>(image.width)) {
    return absl::InvalidArgumentError(absl::StrCat("encode picture: rows are ", image.stride,
                                                   " bytes apart, ", image.width, " pixels take more"));
  }
  if (quality < 1 || quality > 100) {
    return absl::InvalidArgumentError(
        absl::StrCat("encode picture: quality ", quality, " is outside 1..100"));
  }
  return absl::OkStatus();
}

absl::Status PngError(int result) {
  return absl::InternalError(absl::StrCat("encode PNG: ", spng_strerror(result)));
}

// Rows of `channels` bytes a pixel, `stride` bytes apart.
absl::StatusOr<std::string> EncodePng(const uint8_t* pixels, int width, int height, size_t stride,
                                      size_t channels) {
  const auto free_context = [](spng_ctx* context) { spng_ctx_free(context); };
  const std::unique_ptr<spng_ctx, decltype(free_context)> context(spng_ctx_new(SPNG_CTX_ENCODER),
                                                                  free_context);
  if (context == nullptr) return absl::ResourceExhaustedError("encode PNG: no memory for the encoder");
  spng_ihdr header = {};
  header.width = static_cast<uint32_t>(width);
  header.height = static_cast<uint32_t>(height);
  header.bit_depth = 8;
  header.color_type = channels == 1 ? SPNG_COLOR_TYPE_GRAYSCALE : SPNG_COLOR_TYPE_TRUECOLOR;
  if (const int result = spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1); result != 0)
    return PngError(result);
  if (const int result = spng_set_ihdr(context.get(), &header); result != 0) return PngError(result);
  int result = spng_encode_image(context.get(), nullptr, 0, SPNG_FMT_PNG,
                                 SPNG_ENCODE_PROGRESSIVE | SPNG_ENCODE_FINALIZE);
  const size_t row_bytes = channels * static_cast<size_t>(width);
  for (int y = 0; y < height && result == 0; ++y) {
    result = spng_encode_row(context.get(), pixels + static_cast<size_t>(y) * stride, row_bytes);
  }
  if (result != SPNG_EOI) return PngError(result);
  size_t size = 0;
  const std::unique_ptr<char, decltype(&std::free)> file(
      static_cast<char*>(spng_get_png_buffer(context.get(), &size, &result)), &std::free);
  if (file == nullptr) return PngError(result);
  return std::string(file.get(), size);
}

absl::StatusOr<std::string> EncodeWebp(ImageView image, int quality) {
  if (image.stride > size_t{1} << 30) {
    return absl::InvalidArgumentError(
        absl::StrCat("encode WebP: rows are ", image.stride, " bytes apart, too many"));
  }
  uint8_t* bytes = nullptr;
  const size_t size = WebPEncodeRGB(image.data, image.width, image.height, static_cast<int>(image.stride),
                                    static_cast<float>(quality), &bytes);
  const std::unique_ptr<uint8_t, decltype(&WebPFree)> file(bytes, &WebPFree);
  if (size == 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("encode WebP: no result for ", image.width, " x ", image.height, " pixels (no memory)"));
  }
  return std::string(reinterpret_cast<const char*>(file.get()), size);
}

}  // namespace

absl::StatusOr<std::string> EncodePicture(ImageView image, EncodedFormat format, int quality) {
  WAYSTONE_RETURN_IF_ERROR(CheckPicture(image, quality));
  try {
    switch (format) {
      case EncodedFormat::kJpeg:
        WAYSTONE_RETURN_IF_ERROR(CheckSides(image, "JPEG", kLargestJpegSide));
        return EncodeJpeg(image, quality);
      case EncodedFormat::kPng:
        WAYSTONE_RETURN_IF_ERROR(CheckSides(image, "PNG", kLargestPngSide));
        return EncodePng(image.data, image.width, image.height, image.stride, 3);
      case EncodedFormat::kWebp:
        break;
    }
    WAYSTONE_RETURN_IF_ERROR(CheckSides(image, "WebP", WEBP_MAX_DIMENSION));
    return EncodeWebp(image, quality);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("encode picture: no memory for the result");
  }
}

absl::StatusOr<std::string> EncodeGrayPng(const uint8_t* pixels, int width, int height) {
  if (pixels == nullptr || width < 1 || height < 1 || width > kLargestPngSide || height > kLargestPngSide) {
    return absl::InvalidArgumentError(
        absl::StrCat("encode PNG: a grey picture of ", width, " x ", height, " pixels"));
  }
  try {
    return EncodePng(pixels, width, height, static_cast<size_t>(width), 1);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("encode PNG: no memory for the result");
  }
}

}  // namespace waystone
