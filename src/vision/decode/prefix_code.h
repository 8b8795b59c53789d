// SPDX-License-Identifier: Apache-2.0
//
// Bits and canonical prefix codes of a lossless WebP stream ("WebP Lossless Bitstream Specification",
// sections 2 and 6). Made to look into a stream, not to be fast: codes are read bit by bit.
// Thread-compatible. After the end of the data every bit is 0 and failed() is true.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace waystone {

// Least significant bit first.
class BitReader {
 public:
  explicit BitReader(std::string_view data) : data_(data) {}

  uint32_t Read(int count) {
    uint32_t value = 0;
    for (int i = 0; i < count; ++i) value |= ReadBit() << i;
    return value;
  }
  uint32_t ReadBit() {
    const size_t byte = position_ >> 3;
    if (byte >= data_.size()) {
      failed_ = true;
      return 0;
    }
    const uint32_t bit = static_cast<uint8_t>(data_[byte]) >> (position_ & 7) & 1;
    ++position_;
    return bit;
  }
  // The stream is not what it should be, or has ended.
  void Fail() { failed_ = true; }
  bool failed() const { return failed_; }

 private:
  std::string_view data_;
  size_t position_ = 0;  // in bits
  bool failed_ = false;
};

class PrefixCode {
 public:
  // Reads the description of a code of `alphabet_size` symbols; the reader fails when it is no complete code.
  static PrefixCode Read(BitReader& bits, int alphabet_size);

  // The next symbol of the stream.
  int ReadSymbol(BitReader& bits) const;

 private:
  static constexpr int kLongest = 15;

  static PrefixCode FromLengths(BitReader& bits, const std::vector<uint8_t>& lengths);
  static std::vector<uint8_t> ReadSimpleLengths(BitReader& bits, int alphabet_size);
  static std::vector<uint8_t> ReadLengths(BitReader& bits, int alphabet_size);

  std::array<int, kLongest + 1> counts_ = {};  // codes of each length
  std::vector<uint16_t> symbols_;              // by length, then by number; a single one takes no bits
};

}  // namespace waystone
