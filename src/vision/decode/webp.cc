// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/webp.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include <webp/decode.h>

#include "base/clock.h"
#include "base/status.h"
#include "vision/decode/alpha.h"
#include "vision/decode/exif.h"
#include "vision/decode/limits.h"
#include "vision/decode/orient.h"
#include "vision/decode/webp_container.h"
#include "vision/decode/webp_lossless.h"

namespace waystone {
namespace {

constexpr uint8_t kGrey = 128;
// Slices of the data handed to the decoder one after another. Few: libwebp begins anew with headers that are
// cut.
constexpr size_t kSlices = 16;
constexpr size_t kLeastSliceBytes = 16384;
constexpr size_t kLosslessHeadBytes = 8 + 5;  // of the chunk, and of the stream in it
constexpr size_t kAlphaHeadBytes = 8 + 1;

// What the two layers of headers say.
struct Frame {
  WebpContainer container;
  int width = 0;  // of the frame itself
  int height = 0;
  bool has_alpha = false;
  bool lossless = false;
  int canvas_width = 0;
  int canvas_height = 0;
  int orientation = 1;

  bool covers_canvas() const { return width == canvas_width && height == canvas_height; }
  size_t canvas_pixels() const {
    return static_cast<size_t>(canvas_width) * static_cast<size_t>(canvas_height);
  }
  // RGBA while decoding where alpha is still to be composed.
  size_t bytes_per_pixel() const { return has_alpha ? 4 : 3; }
};

absl::Status FromVp8(VP8StatusCode code, const char* attempt) {
  switch (code) {
    case VP8_STATUS_OK:
      return absl::OkStatus();
    case VP8_STATUS_OUT_OF_MEMORY:
      return absl::ResourceExhaustedError(absl::StrCat("WebP: ", attempt, ": no memory"));
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return absl::UnimplementedError(absl::StrCat("WebP: ", attempt, ": a feature that is not read"));
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return absl::DataLossError(absl::StrCat("WebP: ", attempt, ": the data end too early"));
    default:
      return absl::InvalidArgumentError(absl::StrCat("WebP: ", attempt, ": the data are broken"));
  }
}

absl::StatusOr<Frame> ReadFrame(std::string_view encoded) {
  Frame frame;
  WAYSTONE_ASSIGN_OR_RETURN(frame.container, ReadWebpContainer(encoded));
  const std::string_view data = frame.container.frame;
  WebPBitstreamFeatures features;
  WAYSTONE_RETURN_IF_ERROR(
      FromVp8(WebPGetFeatures(reinterpret_cast<const uint8_t*>(data.data()), data.size(), &features),
              "read the header"));
  frame.width = features.width;
  frame.height = features.height;
  frame.has_alpha = features.has_alpha != 0;
  frame.lossless = features.format == 2;
  const bool simple = frame.container.canvas_width == 0;
  frame.canvas_width = simple ? frame.width : frame.container.canvas_width;
  frame.canvas_height = simple ? frame.height : frame.container.canvas_height;
  frame.orientation = OrientationFromExif(frame.container.exif);
  const int64_t right = int64_t{frame.container.frame_x} + frame.width;
  const int64_t bottom = int64_t{frame.container.frame_y} + frame.height;
  const bool fits = right <= frame.canvas_width && bottom <= frame.canvas_height;
  if (!fits || (!frame.container.animated && !frame.covers_canvas())) {
    return absl::InvalidArgumentError(absl::StrCat("WebP: the frame of ", frame.width, " x ", frame.height,
                                                   " pixels does not fit the canvas of ", frame.canvas_width,
                                                   " x ", frame.canvas_height));
  }
  return frame;
}

PictureInfo InfoOf(const Frame& frame) {
  PictureInfo info;
  info.format = PictureFormat::kWebp;
  info.width = frame.canvas_width;
  info.height = frame.canvas_height;
  info.orientation = frame.orientation;
  if (SwapsSides(info.orientation)) std::swap(info.width, info.height);
  return info;
}

// What libwebp takes beside the pixels for a lossless picture: the picture as it is decoded, and tables.
uint64_t LosslessBytes(const Frame& frame, std::string_view stream) {
  const uint64_t pixels = static_cast<uint64_t>(frame.width) * static_cast<uint64_t>(frame.height);
  return 4 * pixels + LosslessTableBytes(stream, frame.width, frame.height);
}

// The same for an alpha plane: the plane itself, and what unpacks it when it is compressed.
uint64_t AlphaBytes(const Frame& frame) {
  const uint64_t pixels = static_cast<uint64_t>(frame.width) * static_cast<uint64_t>(frame.height);
  const std::string_view data = frame.container.frame;
  if (data.substr(0, 4) != "ALPH" || data.size() <= kAlphaHeadBytes) return pixels;
  const bool compressed = (static_cast<uint8_t>(data[kAlphaHeadBytes - 1]) & 3) != 0;
  return pixels + (compressed ? LosslessBytes(frame, data.substr(kAlphaHeadBytes)) : 0);
}

// libwebp's own memory, the alpha byte beside RGB, and the second picture that turning takes.
uint64_t WorkingBytes(const Frame& frame) {
  uint64_t bytes = frame.canvas_pixels() * ((frame.has_alpha ? 1 : 0) + (frame.orientation > 1 ? 3 : 0));
  if (frame.lossless) {
    bytes += LosslessBytes(frame, frame.container.frame.substr(kLosslessHeadBytes));
  } else if (frame.has_alpha) {
    bytes += AlphaBytes(frame);
  }
  return bytes;
}

absl::Status CheckBudgets(const Frame& frame, const PictureLimits& limits) {
  WAYSTONE_RETURN_IF_ERROR(
      CheckPictureSize("WebP", frame.canvas_width, frame.canvas_height, limits, limits.max_pixels));
  return CheckWorkingBytes("WebP", WorkingBytes(frame), limits);
}

struct FreeDecoder {
  void operator()(WebPIDecoder* decoder) const { WebPIDelete(decoder); }
};

// Decodes the frame to its place on the canvas; `rows` becomes the count of rows that are done, also after an
// error.
absl::Status DecodeFrame(const Frame& frame, const DecodeOptions& options, uint8_t* canvas, int& rows) {
  const size_t stride = frame.bytes_per_pixel() * static_cast<size_t>(frame.canvas_width);
  const size_t offset = stride * static_cast<size_t>(frame.container.frame_y) +
                        frame.bytes_per_pixel() * static_cast<size_t>(frame.container.frame_x);
  const size_t room = stride * static_cast<size_t>(frame.canvas_height) - offset;
  const std::unique_ptr<WebPIDecoder, FreeDecoder> decoder(
      WebPINewRGB(frame.has_alpha ? MODE_RGBA : MODE_RGB, canvas + offset, room, static_cast<int>(stride)));
  if (decoder == nullptr) return absl::ResourceExhaustedError("WebP: no memory for the decoder");
  const std::string_view data = frame.container.frame;
  const size_t slice = frame.lossless ? data.size() : std::max(kLeastSliceBytes, data.size() / kSlices + 1);
  VP8StatusCode code = VP8_STATUS_SUSPENDED;
  for (size_t given = 0; code == VP8_STATUS_SUSPENDED && given < data.size();) {
    if (!options.deadline.is_never() && options.deadline.HasPassed(SteadyClock().Now())) {
      return absl::DeadlineExceededError("WebP: the deadline passed during the decode");
    }
    given = std::min(data.size(), given + slice);
    code = WebPIUpdate(decoder.get(), reinterpret_cast<const uint8_t*>(data.data()), given);
  }
  int last_row = 0;
  if (WebPIDecGetRGB(decoder.get(), &last_row, nullptr, nullptr, nullptr) != nullptr) rows = last_row;
  return FromVp8(code, "decode the pixels");
}

// RGBA rows to RGB rows in the same memory.
void ComposeInPlace(const Frame& frame, const std::array<uint8_t, 3>& background,
                    std::vector<uint8_t>& pixels) {
  const size_t count = frame.canvas_pixels();
  for (size_t i = 0; i < count; ++i) ComposePixel(&pixels[4 * i], background, &pixels[3 * i]);
  pixels.resize(3 * count);
}

// Before the frame is decoded: what shows where it does not reach. Memory is zeroed, which is transparent for
// RGBA.
void FillBackground(const Frame& frame, const std::array<uint8_t, 3>& background,
                    std::vector<uint8_t>& pixels) {
  if (frame.has_alpha || frame.covers_canvas()) return;
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = background[i % 3];
}

// Grey, opaque, for the rows of the frame from `first` on.
void FillMissing(const Frame& frame, int first, std::vector<uint8_t>& pixels) {
  const size_t stride = frame.bytes_per_pixel() * static_cast<size_t>(frame.canvas_width);
  for (int y = first; y < frame.height; ++y) {
    uint8_t* row = &pixels[stride * static_cast<size_t>(frame.container.frame_y + y) +
                           frame.bytes_per_pixel() * static_cast<size_t>(frame.container.frame_x)];
    for (int x = 0; x < frame.width; ++x, row += frame.bytes_per_pixel()) {
      std::memset(row, kGrey, 3);
      if (frame.has_alpha) row[3] = 255;
    }
  }
}

}  // namespace

absl::StatusOr<PictureInfo> ReadWebpInfo(std::string_view encoded, const PictureLimits& limits) {
  WAYSTONE_ASSIGN_OR_RETURN(const Frame frame, ReadFrame(encoded));
  WAYSTONE_RETURN_IF_ERROR(
      CheckPictureSize("WebP", frame.canvas_width, frame.canvas_height, limits, limits.max_pixels));
  return InfoOf(frame);
}

absl::StatusOr<DecodedPicture> DecodeWebp(std::string_view encoded, const DecodeOptions& options) {
  WAYSTONE_ASSIGN_OR_RETURN(const Frame frame, ReadFrame(encoded));
  WAYSTONE_RETURN_IF_ERROR(CheckBudgets(frame, options.limits));
  DecodedPicture picture;
  picture.info = InfoOf(frame);
  picture.image.width = frame.canvas_width;
  picture.image.height = frame.canvas_height;
  std::vector<uint8_t>& pixels = picture.image.pixels;
  pixels.resize(frame.bytes_per_pixel() * frame.canvas_pixels());
  FillBackground(frame, options.background, pixels);
  int rows = 0;
  if (absl::Status decoded = DecodeFrame(frame, options, pixels.data(), rows); !decoded.ok()) {
    const bool damage = absl::IsInvalidArgument(decoded) || absl::IsDataLoss(decoded);
    if (!options.allow_partial || !damage) return decoded;
    FillMissing(frame, rows, pixels);
    picture.partial = true;
  }
  if (frame.has_alpha) ComposeInPlace(frame, options.background, pixels);
  TurnUpright(picture.image, frame.orientation);
  return picture;
}

}  // namespace waystone
