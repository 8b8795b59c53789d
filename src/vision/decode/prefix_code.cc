// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/prefix_code.h"

#include <algorithm>

namespace waystone {
namespace {

// The order in which the lengths of the code for lengths are stored.
constexpr std::array<uint8_t, 19> kLengthOrder = {17, 18, 0, 1,  2,  3,  4,  5,  16, 6,
                                                  7,  8,  9, 10, 11, 12, 13, 14, 15};
constexpr int kRepeatPrevious = 16;
constexpr int kFewZeros = 17;
constexpr uint8_t kFirstPrevious = 8;

}  // namespace

PrefixCode PrefixCode::Read(BitReader& bits, int alphabet_size) {
  const bool simple = bits.ReadBit() != 0;
  return FromLengths(bits,
                     simple ? ReadSimpleLengths(bits, alphabet_size) : ReadLengths(bits, alphabet_size));
}

std::vector<uint8_t> PrefixCode::ReadSimpleLengths(BitReader& bits, int alphabet_size) {
  std::vector<uint8_t> lengths(static_cast<size_t>(alphabet_size));
  const bool two_symbols = bits.ReadBit() != 0;
  const int first_bits = bits.ReadBit() != 0 ? 8 : 1;
  for (int i = 0; i < (two_symbols ? 2 : 1); ++i) {
    const uint32_t symbol = bits.Read(i == 0 ? first_bits : 8);
    if (symbol < lengths.size()) lengths[symbol] = 1;
  }
  return lengths;
}

std::vector<uint8_t> PrefixCode::ReadLengths(BitReader& bits, int alphabet_size) {
  std::vector<uint8_t> of_lengths(kLengthOrder.size());
  const uint32_t stored = bits.Read(4) + 4;
  for (uint32_t i = 0; i < stored; ++i) of_lengths[kLengthOrder[i]] = static_cast<uint8_t>(bits.Read(3));
  const PrefixCode code = FromLengths(bits, of_lengths);

  std::vector<uint8_t> lengths(static_cast<size_t>(alphabet_size));
  size_t reads_left = lengths.size();
  if (bits.ReadBit() != 0) {
    const int count_bits = 2 + 2 * static_cast<int>(bits.Read(3));
    reads_left = 2 + bits.Read(count_bits);
    if (reads_left > lengths.size()) bits.Fail();
  }
  uint8_t previous = kFirstPrevious;
  for (size_t symbol = 0; symbol < lengths.size() && reads_left > 0 && !bits.failed(); --reads_left) {
    const int length = code.ReadSymbol(bits);
    if (length < kRepeatPrevious) {
      lengths[symbol++] = static_cast<uint8_t>(length);
      if (length != 0) previous = static_cast<uint8_t>(length);
      continue;
    }
    const size_t repeat = length == kRepeatPrevious ? 3 + bits.Read(2)
                          : length == kFewZeros     ? 3 + bits.Read(3)
                                                    : 11 + bits.Read(7);
    if (repeat > lengths.size() - symbol) {
      bits.Fail();
      break;
    }
    std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(symbol), repeat,
                length == kRepeatPrevious ? previous : uint8_t{0});
    symbol += repeat;
  }
  return lengths;
}

PrefixCode PrefixCode::FromLengths(BitReader& bits, const std::vector<uint8_t>& lengths) {
  PrefixCode code;
  for (int length = 1; length <= kLongest; ++length) {
    for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] != length) continue;
      ++code.counts_[static_cast<size_t>(length)];
      code.symbols_.push_back(static_cast<uint16_t>(symbol));
    }
  }
  if (code.symbols_.size() == 1) return code;
  int open = 1;  // codes of this length that are not yet given away
  for (int length = 1; length <= kLongest; ++length) {
    open = 2 * open - code.counts_[static_cast<size_t>(length)];
    if (open < 0) break;
  }
  if (open != 0) bits.Fail();
  return code;
}

int PrefixCode::ReadSymbol(BitReader& bits) const {
  if (symbols_.size() == 1) return symbols_[0];
  int code = 0;
  int first = 0;  // code of this length
  int index = 0;  // of its symbol
  for (int length = 1; length <= kLongest && !bits.failed(); ++length) {
    code = code << 1 | static_cast<int>(bits.ReadBit());
    const int count = counts_[static_cast<size_t>(length)];
    if (code - first < count) return symbols_[static_cast<size_t>(index + code - first)];
    index += count;
    first = (first + count) << 1;
  }
  bits.Fail();
  return 0;
}

}  // namespace waystone
