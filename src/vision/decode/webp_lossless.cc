// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/webp_lossless.h"

#include <algorithm>
#include <bitset>
#include <cstddef>

#include "vision/decode/prefix_code.h"

namespace waystone {
namespace {

constexpr int kLiterals = 256;
constexpr int kLengthCodes = 24;
constexpr int kDistanceCodes = 40;
constexpr int kMostCacheBits = 11;
constexpr uint64_t kBytesPerPixel = 4;
// libwebp 1.2, a group: the entries of its five tables (and as many as the colour cache has) and the group
// itself.
constexpr uint64_t kTableEntries = 2956;
constexpr uint64_t kEntryBytes = 4;
constexpr uint64_t kGroupBytes = 600;
constexpr uint64_t kGroupsBeforeRenumbering = 1000;  // beyond, libwebp keeps only the groups that are used

enum Transform : uint32_t { kPredictor = 0, kCrossColor = 1, kSubtractGreen = 2, kColorIndexing = 3 };

// The numbers of the groups that a picture's blocks name.
class GroupSet {
 public:
  void Add(int number) {
    used_.set(static_cast<size_t>(number));
    highest_ = std::max(highest_, number);
  }
  // How many of them libwebp makes tables for.
  uint64_t Count() const {
    const uint64_t numbers = static_cast<uint64_t>(highest_) + 1;
    return numbers > kGroupsBeforeRenumbering ? used_.count() : numbers;
  }

 private:
  std::bitset<65536> used_;
  int highest_ = 0;
};

int DivideRoundingUp(int size, int bits) { return (size + (1 << bits) - 1) >> bits; }

class StreamScan {
 public:
  StreamScan(std::string_view stream, int width, int height)
      : bits_(stream), width_(width), height_(height) {}

  uint64_t Run() {
    ReadTransforms();
    const int cache_bits = ReadCacheBits();
    if (bits_.ReadBit() == 0) return bytes_ + GroupsBytes(1, cache_bits);
    GroupSet groups;
    ReadSubImage(static_cast<int>(bits_.Read(3)) + 2, &groups);
    return bytes_ + GroupsBytes(groups.Count(), cache_bits);
  }

 private:
  static uint64_t GroupsBytes(uint64_t groups, int cache_bits) {
    const uint64_t cache = cache_bits > 0 ? uint64_t{1} << cache_bits : 0;
    return groups * ((kTableEntries + cache) * kEntryBytes + kGroupBytes);
  }

  void ReadTransforms() {
    uint32_t seen = 0;
    while (!bits_.failed() && bits_.ReadBit() != 0) {
      const uint32_t type = bits_.Read(2);
      if ((seen >> type & 1) != 0) bits_.Fail();  // each may stand once
      seen |= 1U << type;
      if (type == kPredictor || type == kCrossColor) {
        ReadSubImage(static_cast<int>(bits_.Read(3)) + 2, nullptr);
      } else if (type == kColorIndexing) {
        const int colors = static_cast<int>(bits_.Read(8)) + 1;
        ReadPixels(colors, 1, nullptr);
        width_ = DivideRoundingUp(width_, colors > 16 ? 0 : colors > 4 ? 1 : colors > 2 ? 2 : 3);
      }
    }
  }

  int ReadCacheBits() {
    if (bits_.ReadBit() == 0) return 0;
    const int cache_bits = static_cast<int>(bits_.Read(4));
    if (cache_bits < 1 || cache_bits > kMostCacheBits) bits_.Fail();
    return cache_bits;
  }

  // A sub-image of a pixel for each block of 2^`block_bits` pixels a side.
  void ReadSubImage(int block_bits, GroupSet* groups) {
    ReadPixels(DivideRoundingUp(width_, block_bits), DivideRoundingUp(height_, block_bits), groups);
  }

  void ReadPixels(int width, int height, GroupSet* groups) {
    const int cache_bits = ReadCacheBits();
    if (bits_.failed()) return;
    const int cache_size = cache_bits > 0 ? 1 << cache_bits : 0;
    const PrefixCode green = PrefixCode::Read(bits_, kLiterals + kLengthCodes + cache_size);
    const PrefixCode red = PrefixCode::Read(bits_, kLiterals);
    const PrefixCode blue = PrefixCode::Read(bits_, kLiterals);
    const PrefixCode alpha = PrefixCode::Read(bits_, kLiterals);
    const PrefixCode distance = PrefixCode::Read(bits_, kDistanceCodes);
    if (bits_.failed()) return;
    const int64_t pixels = int64_t{width} * height;
    bytes_ += static_cast<uint64_t>(pixels) * kBytesPerPixel;
    for (int64_t done = 0; done < pixels && !bits_.failed();) {
      const int symbol = green.ReadSymbol(bits_);
      if (symbol < kLiterals) {
        const int red_value = red.ReadSymbol(bits_);
        blue.ReadSymbol(bits_);
        alpha.ReadSymbol(bits_);
        if (groups != nullptr) groups->Add(red_value << 8 | symbol);
        ++done;
      } else if (symbol < kLiterals + kLengthCodes) {
        done += ReadPrefixedNumber(symbol - kLiterals);
        ReadPrefixedNumber(distance.ReadSymbol(bits_));
      } else {
        if (groups != nullptr) groups->Add(0);  // the cache begins with zeros; else it holds what was seen
        ++done;
      }
    }
  }

  // The number that a length or distance symbol and its extra bits stand for.
  int64_t ReadPrefixedNumber(int symbol) {
    if (symbol < 4) return symbol + 1;
    const int extra_bits = (symbol - 2) >> 1;
    return (int64_t{2} + (symbol & 1)) * (int64_t{1} << extra_bits) + bits_.Read(extra_bits) + 1;
  }

  BitReader bits_;
  int width_;
  int height_;
  uint64_t bytes_ = 0;
};

}  // namespace

uint64_t LosslessTableBytes(std::string_view stream, int width, int height) {
  return StreamScan(stream, width, height).Run();
}

}  // namespace waystone
