// SPDX-License-Identifier: Apache-2.0
//
// Pictures for tests, made on the spot: a pattern in which every place and direction differs, and encoded
// forms of it that the encoder of the program does not write (progressive, CMYK, restarts, EXIF, extended
// WebP).
#pragma once

#include <cstdint>
#include <cstdio>  // jpeglib.h needs FILE
#include <cstdlib>
#include <jpeglib.h>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "types/image.h"
#include "vision/encode/encode.h"

namespace waystone {

// Smooth enough for JPEG, with no symmetry.
inline Image TestPattern(int width, int height) {
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      uint8_t* pixel = image.row(y) + 3 * static_cast<size_t>(x);
      pixel[0] = static_cast<uint8_t>(230 * x / std::max(1, width - 1));
      pixel[1] = static_cast<uint8_t>(230 * y / std::max(1, height - 1));
      pixel[2] = static_cast<uint8_t>(120 + 60 * x / width - 90 * y / height);
    }
  }
  return image;
}

inline std::string Encoded(const Image& image, EncodedFormat format, int quality = 95) {
  auto encoded = EncodePicture(image.view(), format, quality);
  EXPECT_TRUE(encoded.ok()) << encoded.status();
  return encoded.ok() ? *std::move(encoded) : std::string();
}

// The largest difference of a channel; 256 when the sizes differ.
inline int LargestDifference(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height || a.pixels.size() != b.pixels.size()) return 256;
  int largest = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i)
    largest = std::max(largest, std::abs(a.pixels[i] - b.pixels[i]));
  return largest;
}

struct JpegForm {
  bool progressive = false;
  bool four_colors = false;  // CMYK as Adobe writes it: inverted
  bool grey = false;
  int restart_rows = 0;
  bool separate_scans = false;  // sequential, a scan for each component
};

inline std::string MakeJpeg(const Image& image, const JpegForm& form) {
  jpeg_compress_struct frame = {};
  jpeg_error_mgr errors = {};
  frame.err = jpeg_std_error(&errors);
  jpeg_create_compress(&frame);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): the library's type
  jpeg_mem_dest(&frame, &bytes, &size);
  frame.image_width = static_cast<JDIMENSION>(image.width);
  frame.image_height = static_cast<JDIMENSION>(image.height);
  frame.input_components = form.four_colors ? 4 : form.grey ? 1 : 3;
  frame.in_color_space = form.four_colors ? JCS_CMYK : form.grey ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&frame);
  jpeg_set_quality(&frame, 95, TRUE);
  frame.restart_in_rows = form.restart_rows;
  if (form.progressive) jpeg_simple_progression(&frame);
  const jpeg_scan_info separate[] = {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
  if (form.separate_scans) {
    frame.scan_info = separate;
    frame.num_scans = 3;
  }
  jpeg_start_compress(&frame, TRUE);
  std::string row(4 * static_cast<size_t>(image.width), '\0');
  while (frame.next_scanline < frame.image_height) {
    const uint8_t* from = image.row(static_cast<int>(frame.next_scanline));
    auto* to = reinterpret_cast<JSAMPLE*>(row.data());
    for (int x = 0; x < image.width; ++x, from += 3) {
      for (int c = 0; c < (form.grey ? 1 : 3); ++c) *to++ = from[c];
      if (form.four_colors) *to++ = 255;
    }
    JSAMPROW rows[] = {reinterpret_cast<JSAMPROW>(row.data())};
    jpeg_write_scanlines(&frame, rows, 1);
  }
  jpeg_finish_compress(&frame);
  std::string result(reinterpret_cast<char*>(bytes), size);
  jpeg_destroy_compress(&frame);
  std::free(bytes);
  return result;
}

// A TIFF structure with one entry, the orientation.
inline std::string OrientationTiff(int orientation, bool big_endian = false) {
  using namespace std::string_literals;
  const char value = static_cast<char>(orientation);
  return big_endian ? "MM\0\x2A\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"s + value + "\0\0\0\0\0\0"s
                    : "II\x2A\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0"s + value + "\0\0\0\0\0\0\0"s;
}

// `jpeg` with an EXIF segment behind its first marker.
inline std::string WithExif(const std::string& jpeg, const std::string& tiff) {
  using namespace std::string_literals;
  const size_t length = 2 + 6 + tiff.size();
  std::string segment = "\xFF\xE1"s;
  segment += static_cast<char>(length >> 8);
  segment += static_cast<char>(length & 0xFF);
  return jpeg.substr(0, 2) + segment + "Exif\0\0"s + tiff + jpeg.substr(2);
}

inline std::string LittleEndianBytes(uint32_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

inline std::string RiffChunk(std::string_view type, const std::string& content) {
  std::string chunk(type);
  chunk += LittleEndianBytes(static_cast<uint32_t>(content.size()), 4) + content;
  if (content.size() % 2 == 1) chunk += '\0';
  return chunk;
}

// A WebP file with the extended header; `chunks` follow it.
inline std::string ExtendedWebp(uint8_t flags, int width, int height, const std::string& chunks) {
  const std::string header = LittleEndianBytes(flags, 4) +
                             LittleEndianBytes(static_cast<uint32_t>(width - 1), 3) +
                             LittleEndianBytes(static_cast<uint32_t>(height - 1), 3);
  return RiffChunk("RIFF", "WEBP" + RiffChunk("VP8X", header) + chunks);
}

// The frame chunk of a simple WebP file.
inline std::string FrameChunk(const std::string& webp) { return webp.substr(12); }

}  // namespace waystone
