// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/png.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <spng.h>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "base/clock.h"
#include "base/status.h"
#include "vision/decode/alpha.h"
#include "vision/decode/exif.h"
#include "vision/decode/limits.h"
#include "vision/decode/orient.h"
#include "vision/decode/png_chunks.h"

namespace waystone {
namespace {

constexpr uint8_t kGrey = 128;
constexpr int kRowsPerDeadlineCheck = 16;
constexpr uint64_t kMostInflation = 1032;  // DEFLATE makes at most this of a byte (zlib's technical details)
// Of pass p of Adam7 interlacing: the column of the first pixel and the step to the next; the same for rows.
constexpr int kColumnStart[7] = {0, 4, 0, 2, 0, 1, 0};
constexpr int kColumnStep[7] = {8, 8, 4, 4, 2, 2, 1};

// The budgets against what the first chunk says, before the library sees it: it calls sizes it cannot
// multiply broken.
absl::Status CheckClaimedSize(std::string_view file, const PictureLimits& limits) {
  constexpr size_t kSizesAt = 16;
  if (file.size() < kSizesAt + 8 || file.substr(12, 4) != "IHDR") return absl::OkStatus();
  const auto number = [&](size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(file[at + i]);
    return value;
  };
  return CheckPictureSize("PNG", number(kSizesAt), number(kSizesAt + 4), limits, limits.max_pixels);
}

// The library's decoder over a file's chunks. Confined to the thread of the decode.
class PngReader {
 public:
  // The checksum inside the compressed data is left out: that of each chunk covers the same bytes.
  explicit PngReader(std::string_view file)
      : file_(file), chunks_(file), context_(spng_ctx_new(SPNG_CTX_IGNORE_ADLER32)) {}

  absl::Status ReadHeader(const PictureLimits& limits) {
    WAYSTONE_RETURN_IF_ERROR(CheckClaimedSize(file_, limits));
    if (context_ == nullptr) return absl::ResourceExhaustedError("PNG: no memory for the decoder");
    WAYSTONE_RETURN_IF_ERROR(Check(spng_set_png_stream(context_.get(), &PngReader::Feed, &chunks_), "open"));
    return Check(spng_get_ihdr(context_.get(), &header_), "read the header");
  }

  // Begins the row by row decode; `has_alpha()` is known afterwards.
  absl::Status Start() {
    spng_trns transparent = {};
    const int found = spng_get_trns(context_.get(), &transparent);
    if (found != 0 && found != SPNG_ECHUNKAVAIL) return Check(found, "read the chunks before the pixels");
    has_alpha_ = found == 0 || header_.color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA ||
                 header_.color_type == SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
    const int format = has_alpha_ ? SPNG_FMT_RGBA8 : SPNG_FMT_RGB8;
    const int flags = SPNG_DECODE_PROGRESSIVE | (has_alpha_ ? SPNG_DECODE_TRNS : 0);
    return Check(spng_decode_image(context_.get(), nullptr, 0, format, flags), "begin with the pixels");
  }

  // The next row, or false when all are read.
  absl::StatusOr<bool> NextRow(spng_row_info& row) {
    if (last_row_read_) return false;
    WAYSTONE_RETURN_IF_ERROR(Check(spng_get_row_info(context_.get(), &row), "decode the pixels"));
    return true;
  }
  absl::Status ReadRow(uint8_t* to, size_t size) {
    const int result = spng_decode_scanline(context_.get(), to, size);
    last_row_read_ = result == SPNG_EOI;
    return last_row_read_ ? absl::OkStatus() : Check(result, "decode the pixels");
  }

  PictureInfo info() const {
    PictureInfo info;
    info.format = PictureFormat::kPng;
    info.width = static_cast<int>(header_.width);
    info.height = static_cast<int>(header_.height);
    info.orientation = OrientationFromExif(FindPngExif(file_));
    info.progressive = interlaced();
    if (SwapsSides(info.orientation)) std::swap(info.width, info.height);
    return info;
  }
  // After the last row: the checksum of the last pixel data. What else may follow is of no matter to the
  // picture.
  absl::Status CheckEnd() {
    const int result = spng_decode_chunks(context_.get());
    return result == SPNG_ECHUNK_CRC ? Check(result, "check the pixel data") : absl::OkStatus();
  }

  const spng_ihdr& header() const { return header_; }
  bool interlaced() const { return header_.interlace_method != SPNG_INTERLACE_NONE; }
  bool has_alpha() const { return has_alpha_; }
  size_t bytes_per_pixel() const { return has_alpha_ ? 4 : 3; }

 private:
  struct Free {
    void operator()(spng_ctx* context) const { spng_ctx_free(context); }
  };

  static int Feed(spng_ctx*, void* chunks, void* to, size_t size) {
    return static_cast<PngChunkFilter*>(chunks)->Read(static_cast<char*>(to), size) == size ? 0 : SPNG_IO_EOF;
  }

  static absl::Status Check(int result, const char* attempt) {
    if (result == 0) return absl::OkStatus();
    const std::string text = absl::StrCat("PNG: ", attempt, ": ", spng_strerror(result));
    if (result == SPNG_IO_EOF || result == SPNG_EOF) {
      return absl::DataLossError(absl::StrCat(text, " (the data end too early)"));
    }
    if (result == SPNG_EMEM) return absl::ResourceExhaustedError(text);
    return absl::InvalidArgumentError(text);
  }

  std::string_view file_;
  PngChunkFilter chunks_;
  std::unique_ptr<spng_ctx, Free> context_;
  spng_ihdr header_ = {};
  bool has_alpha_ = false;
  bool last_row_read_ = false;
};

// Decodes all rows into the upright image.
class PixelPass {
 public:
  PixelPass(PngReader& reader, const DecodeOptions& options, Image& image, int orientation)
      : reader_(reader),
        options_(options),
        map_(MapToUpright(image, orientation)),
        rows_(image, orientation),
        width_(static_cast<int>(reader.header().width)),
        height_(static_cast<int>(reader.header().height)) {
    if (reader.interlaced() || reader.has_alpha())
      row_.resize(reader.bytes_per_pixel() * static_cast<size_t>(width_));
  }

  absl::Status Run() {
    spng_row_info row = {};
    for (int count = 0;; ++count) {
      if (count % kRowsPerDeadlineCheck == 0) WAYSTONE_RETURN_IF_ERROR(CheckDeadline());
      WAYSTONE_ASSIGN_OR_RETURN(const bool more, reader_.NextRow(row));
      if (!more) return reader_.CheckEnd();
      const int y = static_cast<int>(row.row_num);
      WAYSTONE_RETURN_IF_ERROR(reader_.interlaced() ? ReadInterlaced(y, row.pass) : ReadWhole(y));
    }
  }

  // Puts the decoded rows of an unfinished strip in place.
  void PlaceRest() { PlaceStrip(next_row_ - next_row_ % UprightRows::kStripRows, next_row_); }

 private:
  absl::Status CheckDeadline() const {
    if (options_.deadline.is_never() || !options_.deadline.HasPassed(SteadyClock().Now()))
      return absl::OkStatus();
    return absl::DeadlineExceededError("PNG: the deadline passed during the decode");
  }

  absl::Status ReadWhole(int y) {
    uint8_t* to = rows_.Row(y);
    if (row_.empty()) {
      WAYSTONE_RETURN_IF_ERROR(reader_.ReadRow(to, 3 * static_cast<size_t>(width_)));
    } else {
      WAYSTONE_RETURN_IF_ERROR(reader_.ReadRow(row_.data(), row_.size()));
      for (int x = 0; x < width_; ++x)
        ComposePixel(&row_[4 * static_cast<size_t>(x)], options_.background, to + 3 * x);
    }
    next_row_ = y + 1;
    if (next_row_ % UprightRows::kStripRows == 0 || next_row_ == height_) {
      PlaceStrip(y - y % UprightRows::kStripRows, next_row_);
    }
    return absl::OkStatus();
  }

  absl::Status ReadInterlaced(int y, int pass) {
    WAYSTONE_RETURN_IF_ERROR(reader_.ReadRow(row_.data(), row_.size()));
    const uint8_t* from = row_.data();
    for (int x = kColumnStart[pass]; x < width_; x += kColumnStep[pass], from += reader_.bytes_per_pixel()) {
      if (reader_.has_alpha()) {
        ComposePixel(from, options_.background, map_.At(x, y));
      } else {
        std::memcpy(map_.At(x, y), from, 3);
      }
    }
    return absl::OkStatus();
  }

  void PlaceStrip(int first, int end) {
    if (end > first) rows_.Place(first, end - first);
  }

  PngReader& reader_;
  const DecodeOptions& options_;
  const PixelMap map_;
  UprightRows rows_;
  const int width_;
  const int height_;
  int next_row_ = 0;          // not interlaced: the rows before it are decoded
  std::vector<uint8_t> row_;  // where the library's row is not yet the picture's
};

// A header that claims more pixels than the data could unpack into is refused before memory is taken for
// them.
absl::Status CheckDataCanFillFrame(const spng_ihdr& header, size_t file_bytes) {
  const uint64_t samples = header.color_type == SPNG_COLOR_TYPE_TRUECOLOR         ? 3
                           : header.color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA ? 2
                           : header.color_type == SPNG_COLOR_TYPE_TRUECOLOR_ALPHA ? 4
                                                                                  : 1;
  const uint64_t bytes = uint64_t{header.width} * header.height * samples * header.bit_depth / 8;
  if (bytes / kMostInflation <= file_bytes) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("PNG: a file of ", file_bytes, " bytes cannot hold ", header.width,
                                          " x ", header.height, " pixels"));
}

}  // namespace

absl::StatusOr<PictureInfo> ReadPngInfo(std::string_view encoded, const PictureLimits& limits) {
  PngReader reader(encoded);
  WAYSTONE_RETURN_IF_ERROR(reader.ReadHeader(limits));
  return reader.info();
}

absl::StatusOr<DecodedPicture> DecodePng(std::string_view encoded, const DecodeOptions& options) {
  PngReader reader(encoded);
  WAYSTONE_RETURN_IF_ERROR(reader.ReadHeader(options.limits));
  if (!options.allow_partial) {
    WAYSTONE_RETURN_IF_ERROR(CheckDataCanFillFrame(reader.header(), encoded.size()));
  }
  DecodedPicture picture;
  picture.info = reader.info();
  WAYSTONE_RETURN_IF_ERROR(reader.Start());

  picture.image = Image(picture.info.width, picture.info.height);
  if (options.allow_partial) std::fill(picture.image.pixels.begin(), picture.image.pixels.end(), kGrey);
  PixelPass pass(reader, options, picture.image, picture.info.orientation);
  absl::Status decoded = pass.Run();
  if (!decoded.ok()) {
    if (!options.allow_partial || absl::IsDeadlineExceeded(decoded)) return decoded;
    pass.PlaceRest();
    picture.partial = true;
  }
  return picture;
}

}  // namespace waystone
