// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/jpeg.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "vision/decode/jpeg_reader.h"
#include "vision/decode/limits.h"
#include "vision/decode/orient.h"

namespace waystone {
namespace {

constexpr int kFullScale = 8;  // eighths
constexpr uint8_t kGrey = 128;

PictureInfo InfoOf(JpegReader& reader) {
  PictureInfo info;
  info.format = PictureFormat::kJpeg;
  info.width = static_cast<int>(reader.frame().image_width);
  info.height = static_cast<int>(reader.frame().image_height);
  info.orientation = reader.orientation();
  info.progressive = reader.frame().progressive_mode != FALSE;
  if (SwapsSides(info.orientation)) std::swap(info.width, info.height);
  return info;
}

// The least of 1/8, 2/8, 4/8 and 8/8 at which the upright picture still covers what is wanted.
int ChooseScale(const PictureInfo& info, const DecodeOptions& options) {
  if (options.min_width < 1 || options.min_height < 1) return kFullScale;
  for (int scale = 1; scale < kFullScale; scale *= 2) {
    const int64_t width = (int64_t{info.width} * scale + kFullScale - 1) / kFullScale;
    const int64_t height = (int64_t{info.height} * scale + kFullScale - 1) / kFullScale;
    if (width >= options.min_width && height >= options.min_height) return scale;
  }
  return kFullScale;
}

// A file of several scans keeps every coefficient until the last one is read: two bytes each.
uint64_t CoefficientBytes(JpegReader& reader) {
  if (!reader.has_multiple_scans()) return 0;
  const jpeg_decompress_struct& frame = reader.frame();
  uint64_t blocks = 0;
  for (int i = 0; i < frame.num_components; ++i) {
    const jpeg_component_info& component = frame.comp_info[i];
    const auto round_up = [](uint64_t size, int to) {
      const auto step = static_cast<uint64_t>(to);
      return (size + step - 1) / step * step;
    };
    blocks += round_up(component.width_in_blocks, component.h_samp_factor) *
              round_up(component.height_in_blocks, component.v_samp_factor);
  }
  return blocks * DCTSIZE2 * sizeof(JCOEF);
}

// A sequential Huffman scan spends two bits or more on a block. A header that claims more blocks than the
// data could hold is refused before memory is taken for them.
absl::Status CheckDataCanFillFrame(JpegReader& reader) {
  const jpeg_decompress_struct& frame = reader.frame();
  if (reader.has_multiple_scans() || frame.arith_code != FALSE) return absl::OkStatus();
  uint64_t blocks = 0;
  for (int i = 0; i < frame.num_components; ++i) {
    blocks += uint64_t{frame.comp_info[i].width_in_blocks} * frame.comp_info[i].height_in_blocks;
  }
  if (blocks <= uint64_t{reader.bytes_left()} * 4) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("JPEG: ", reader.bytes_left(), " bytes of pixel data cannot hold ",
                                          frame.image_width, " x ", frame.image_height, " pixels"));
}

// Sets the output colours: RGB, or CMYK, which the library does not turn into RGB.
absl::Status ChooseColors(jpeg_decompress_struct& frame) {
  switch (frame.jpeg_color_space) {
    case JCS_GRAYSCALE:
    case JCS_RGB:
    case JCS_YCbCr:
      frame.out_color_space = JCS_RGB;
      return absl::OkStatus();
    case JCS_CMYK:
    case JCS_YCCK:
      frame.out_color_space = JCS_CMYK;
      return absl::OkStatus();
    default:
      return absl::UnimplementedError(absl::StrCat("JPEG: pictures of ", frame.num_components,
                                                   " colour components are not read (1, 3, 4 are)"));
  }
}

absl::Status CheckBudgets(JpegReader& reader, const PictureInfo& info, int scale,
                          const DecodeOptions& options) {
  const PictureLimits& limits = options.limits;
  const int64_t max_pixels =
      scale < kFullScale ? std::max(limits.max_pixels, limits.max_scaled_source_pixels) : limits.max_pixels;
  WAYSTONE_RETURN_IF_ERROR(CheckPictureSize("JPEG", info.width, info.height, limits, max_pixels));
  WAYSTONE_RETURN_IF_ERROR(CheckWorkingBytes("JPEG", CoefficientBytes(reader), limits));
  return options.allow_partial ? absl::OkStatus() : CheckDataCanFillFrame(reader);
}

// Four-colour JPEGs hold inverted ink (255 is none): Adobe's convention, which all decoders take for granted.
void CmykToRgb(const uint8_t* cmyk, int width, uint8_t* rgb) {
  for (int x = 0; x < width; ++x, cmyk += 4, rgb += 3) {
    for (int c = 0; c < 3; ++c) rgb[c] = static_cast<uint8_t>((cmyk[c] * cmyk[3] + 127) / 255);
  }
}

// Decodes strip by strip into the upright image.
class PixelPass {
 public:
  PixelPass(JpegReader& reader, Image& image, int orientation)
      : reader_(reader),
        rows_(image, orientation),
        width_(static_cast<int>(reader.frame().output_width)),
        height_(static_cast<int>(reader.frame().output_height)) {
    if (reader.frame().out_color_space == JCS_CMYK) {
      ink_.resize(4 * static_cast<size_t>(width_) * UprightRows::kStripRows);
    }
  }

  absl::Status Run() {
    while (reader_.next_row() < height_) WAYSTONE_RETURN_IF_ERROR(DecodeStrip(reader_.next_row()));
    return absl::OkStatus();
  }

  // Grey for every row from the strip that begins at or before the first row not decoded.
  void FillRest() {
    const int next = std::min(reader_.next_row(), height_);
    for (int first = next - next % UprightRows::kStripRows; first < height_;
         first += UprightRows::kStripRows) {
      const int count = std::min(UprightRows::kStripRows, height_ - first);
      for (int y = std::max(first, next); y < first + count; ++y) {
        std::memset(rows_.Row(y), kGrey, 3 * static_cast<size_t>(width_));
      }
      rows_.Place(first, count);
    }
  }

 private:
  absl::Status DecodeStrip(int first) {
    const int count = std::min(UprightRows::kStripRows, height_ - first);
    std::array<uint8_t*, UprightRows::kStripRows> targets = {};
    for (int i = 0; i < count; ++i) {
      targets[i] = ink_.empty() ? rows_.Row(first + i) : ink_.data() + 4 * static_cast<size_t>(width_) * i;
    }
    const absl::Status read = reader_.ReadRows(targets.data(), count);
    const int decoded = ink_.empty() ? 0 : std::min(reader_.next_row() - first, count);
    for (int i = 0; i < decoded; ++i) CmykToRgb(targets[i], width_, rows_.Row(first + i));
    WAYSTONE_RETURN_IF_ERROR(read);
    rows_.Place(first, count);
    return absl::OkStatus();
  }

  JpegReader& reader_;
  UprightRows rows_;
  const int width_;
  const int height_;
  std::vector<uint8_t> ink_;  // a strip of CMYK
};

// True for a failure after which the rows decoded so far are worth having.
bool IsDamage(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsDataLoss(status);
}

}  // namespace

absl::StatusOr<PictureInfo> ReadJpegInfo(std::string_view encoded, const PictureLimits& limits) {
  JpegReader reader(encoded, limits.max_working_bytes, Deadline::Never(), /*strict=*/true);
  WAYSTONE_RETURN_IF_ERROR(reader.ReadHeader());
  const PictureInfo info = InfoOf(reader);
  WAYSTONE_RETURN_IF_ERROR(CheckPictureSize("JPEG", info.width, info.height, limits,
                                            std::max(limits.max_pixels, limits.max_scaled_source_pixels)));
  return info;
}

absl::StatusOr<DecodedPicture> DecodeJpeg(std::string_view encoded, const DecodeOptions& options) {
  JpegReader reader(encoded, options.limits.max_working_bytes, options.deadline, !options.allow_partial);
  WAYSTONE_RETURN_IF_ERROR(reader.ReadHeader());
  DecodedPicture picture;
  picture.info = InfoOf(reader);
  const int scale = ChooseScale(picture.info, options);
  WAYSTONE_RETURN_IF_ERROR(CheckBudgets(reader, picture.info, scale, options));
  WAYSTONE_RETURN_IF_ERROR(ChooseColors(reader.frame()));
  reader.frame().scale_num = static_cast<unsigned>(scale);
  reader.frame().scale_denom = kFullScale;
  WAYSTONE_RETURN_IF_ERROR(reader.Start());

  picture.image = MakeUprightImage(static_cast<int>(reader.frame().output_width),
                                   static_cast<int>(reader.frame().output_height), picture.info.orientation);
  PixelPass pass(reader, picture.image, picture.info.orientation);
  absl::Status decoded = pass.Run();
  if (!decoded.ok()) {
    if (!options.allow_partial || !IsDamage(decoded)) return decoded;
    pass.FillRest();
  }
  picture.partial = !decoded.ok() || reader.damaged();
  return picture;
}

}  // namespace waystone
