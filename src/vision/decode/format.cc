// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/format.h"

#include <array>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace waystone {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::string_view bytes;
  std::string_view name;
};

// Types that people do send. Longer magics stand before those they begin with.
constexpr std::array<Magic, 22> kForeign = {{
    {"GIF87a"sv, "GIF"},
    {"GIF89a"sv, "GIF"},
    {"BM"sv, "BMP"},
    {"II\x2A\0"sv, "TIFF"},
    {"MM\0\x2A"sv, "TIFF"},
    {"II\x2B\0"sv, "BigTIFF"},
    {"MM\0\x2B"sv, "BigTIFF"},
    {"\0\0\0\x0CjP  \r\n\x87\n"sv, "JPEG 2000"},
    {"\xFF\x4F\xFF\x51"sv, "JPEG 2000"},
    {"\0\0\0\x0CJXL \r\n\x87\n"sv, "JPEG XL"},
    {"\xFF\x0A"sv, "JPEG XL"},
    {"%PDF-"sv, "PDF"},
    {"<svg"sv, "SVG"},
    {"<?xml"sv, "XML (SVG?)"},
    {"8BPS"sv, "Photoshop"},
    {"\0\0\1\0"sv, "ICO"},
    {"\x76\x2F\x31\x01"sv, "OpenEXR"},
    {"#?RADIANCE"sv, "Radiance HDR"},
    {"qoif"sv, "QOI"},
    {"P5\n"sv, "PGM"},
    {"P6\n"sv, "PPM"},
    {"DDS "sv, "DDS"},
}};

// ISO base media files name their brand after "ftyp".
std::string_view BrandName(std::string_view encoded) {
  if (encoded.size() < 12 || encoded.substr(4, 4) != "ftyp") return {};
  const std::string_view brand = encoded.substr(8, 4);
  if (brand == "avif" || brand == "avis") return "AVIF";
  if (brand == "heic" || brand == "heix" || brand == "hevc" || brand == "mif1" || brand == "msf1")
    return "HEIF";
  return "a video or other ISO media file";
}

std::string_view ForeignName(std::string_view encoded) {
  for (const Magic& magic : kForeign) {
    if (encoded.substr(0, magic.bytes.size()) == magic.bytes) return magic.name;
  }
  return BrandName(encoded);
}

}  // namespace

absl::StatusOr<PictureFormat> DetectFormat(std::string_view encoded) {
  if (encoded.empty()) return absl::InvalidArgumentError("decode picture: the input is empty (0 bytes)");
  if (encoded.substr(0, 2) == "\xFF\xD8"sv) return PictureFormat::kJpeg;
  if (encoded.substr(0, 8) == "\x89PNG\r\n\x1A\n"sv) return PictureFormat::kPng;
  if (encoded.size() >= 12 && encoded.substr(0, 4) == "RIFF" && encoded.substr(8, 4) == "WEBP") {
    return PictureFormat::kWebp;
  }
  if (const std::string_view name = ForeignName(encoded); !name.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("decode picture: ", absl::string_view(name.data(), name.size()),
                     " is not a format Waystone reads (JPEG, PNG, WebP are)"));
  }
  const std::string_view head = encoded.substr(0, 8);
  return absl::InvalidArgumentError(absl::StrCat(
      "decode picture: the input is no picture known here (JPEG, PNG, WebP are read); it begins with ",
      absl::BytesToHexString(absl::string_view(head.data(), head.size()))));
}

}  // namespace waystone
