// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/exif.h"

#include <cstddef>
#include <cstdint>

namespace waystone {
namespace {

constexpr size_t kPrefixBytes = 6;
constexpr size_t kEntryBytes = 12;
constexpr uint32_t kOrientationTag = 0x0112;
constexpr uint32_t kTypeShort = 3;
constexpr uint32_t kTypeLong = 4;

// Reads numbers of a TIFF structure in its byte order. The caller has checked that `at` + size lies inside.
class TiffNumbers {
 public:
  TiffNumbers(std::string_view tiff, bool big_endian) : tiff_(tiff), big_endian_(big_endian) {}

  uint32_t U16(size_t at) const {
    const uint32_t first = Byte(at);
    const uint32_t second = Byte(at + 1);
    return big_endian_ ? first << 8 | second : second << 8 | first;
  }
  uint32_t U32(size_t at) const {
    const uint32_t first = U16(at);
    const uint32_t second = U16(at + 2);
    return big_endian_ ? first << 16 | second : second << 16 | first;
  }

 private:
  uint32_t Byte(size_t at) const { return static_cast<uint8_t>(tiff_[at]); }
  std::string_view tiff_;
  bool big_endian_;
};

// The orientation if the entry at `at` holds a sane one, else 0.
int OrientationOfEntry(const TiffNumbers& numbers, size_t at) {
  const uint32_t type = numbers.U16(at + 2);
  if (numbers.U16(at) != kOrientationTag || (type != kTypeShort && type != kTypeLong)) return 0;
  if (numbers.U32(at + 4) != 1) return 0;
  const uint32_t value = type == kTypeShort ? numbers.U16(at + 8) : numbers.U32(at + 8);
  return value >= 1 && value <= 8 ? static_cast<int>(value) : 0;
}

}  // namespace

bool IsExifSegment(std::string_view segment) {
  return segment.size() >= kPrefixBytes && segment.substr(0, 5) == std::string_view("Exif\0", 5);
}

int OrientationFromExif(std::string_view exif) {
  if (IsExifSegment(exif)) exif.remove_prefix(kPrefixBytes);
  if (exif.size() < 8) return 1;
  const std::string_view order = exif.substr(0, 2);
  if (order != "II" && order != "MM") return 1;
  const TiffNumbers numbers(exif, order == "MM");
  const size_t directory = numbers.U32(4);
  if (numbers.U16(2) != 42 || directory < 8 || directory > exif.size() - 2) return 1;
  const size_t entries_begin = directory + 2;
  const size_t room = (exif.size() - entries_begin) / kEntryBytes;
  const size_t count = numbers.U16(directory);
  for (size_t i = 0; i < count && i < room; ++i) {
    if (const int found = OrientationOfEntry(numbers, entries_begin + i * kEntryBytes); found != 0)
      return found;
  }
  return 1;
}

}  // namespace waystone
