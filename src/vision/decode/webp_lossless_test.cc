// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/webp_lossless.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <webp/encode.h>

#include "vision/decode/decode.h"
#include "vision/decode/prefix_code.h"
#include "vision/decode/test_pictures.h"

namespace waystone {
namespace {

// Least significant bit first, as the streams are.
class BitWriter {
 public:
  void Put(uint32_t value, int count) {
    for (int i = 0; i < count; ++i) {
      if (bits_++ % 8 == 0) bytes_ += '\0';
      bytes_.back() = static_cast<char>(bytes_.back() | (value >> i & 1) << ((bits_ - 1) % 8));
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  size_t bits_ = 0;
};

// A code of the one symbol 0, which then takes no bits.
void PutSingleSymbol(BitWriter& out) { out.Put(0b0001, 4); }

// A code of `alphabet_size` symbols of which the first 256 take 8 bits each.
void PutBytesCode(BitWriter& out) {
  out.Put(0, 1);
  out.Put(12 - 4, 4);
  for (const int length : {17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8})
    out.Put(length == 8 || length == 18 ? 1 : 0, 3);
  out.Put(1, 1);  // not all lengths are stored: the first 256
  out.Put(3, 3);
  out.Put(256 - 2, 8);
  for (int i = 0; i < 256; ++i) out.Put(0, 1);
}

void PutByteSymbol(BitWriter& out, int byte) {
  for (int bit = 7; bit >= 0; --bit) out.Put(static_cast<uint32_t>(byte >> bit & 1), 1);
}

// The begin of a stream (no transforms, no cache) whose blocks of 4 x 4 pixels use the groups `numbers` in
// turn.
BitWriter StreamBegin(int width, int height, const std::vector<int>& numbers) {
  BitWriter out;
  out.Put(0, 2);
  out.Put(1, 1);
  out.Put(0, 3);
  out.Put(0, 1);
  PutBytesCode(out);
  PutBytesCode(out);
  for (int i = 0; i < 3; ++i) PutSingleSymbol(out);
  const size_t blocks = static_cast<size_t>((width + 3) / 4) * static_cast<size_t>((height + 3) / 4);
  for (size_t i = 0; i < blocks; ++i) {
    PutByteSymbol(out, numbers[i % numbers.size()] & 0xFF);
    PutByteSymbol(out, numbers[i % numbers.size()] >> 8);
  }
  return out;
}

std::string Stream(int width, int height, const std::vector<int>& numbers) {
  return StreamBegin(width, height, numbers).bytes();
}

TEST(WebpLosslessTest, TablesGrowWithTheGroupsInUse) {
  const uint64_t one = LosslessTableBytes(Stream(64, 64, {0}), 64, 64);
  const uint64_t two = LosslessTableBytes(Stream(64, 64, {0, 1}), 64, 64);
  const uint64_t ten = LosslessTableBytes(Stream(64, 64, {0, 9, 3}), 64, 64);
  EXPECT_GT(two - one, 10000U);
  EXPECT_EQ(ten - one, 9 * (two - one));
}

TEST(WebpLosslessTest, NumbersBeyondAThousandCountOnlyWhereUsed) {
  const uint64_t one = LosslessTableBytes(Stream(64, 64, {0}), 64, 64);
  const uint64_t two = LosslessTableBytes(Stream(64, 64, {0, 1}), 64, 64);
  EXPECT_EQ(LosslessTableBytes(Stream(64, 64, {0, 999}), 64, 64), one + 999 * (two - one));
  EXPECT_EQ(LosslessTableBytes(Stream(64, 64, {0, 1000}), 64, 64), two);
  EXPECT_EQ(LosslessTableBytes(Stream(64, 64, {65535}), 64, 64), one);
}

TEST(WebpLosslessTest, RealStreamsTakeLittle) {
  const Image image = TestPattern(300, 200);
  uint8_t* bytes = nullptr;
  const size_t size = WebPEncodeLosslessRGB(image.pixels.data(), 300, 200, 900, &bytes);
  const std::string webp(reinterpret_cast<char*>(bytes), size);
  WebPFree(bytes);
  const uint64_t tables = LosslessTableBytes(std::string_view(webp).substr(25), 300, 200);
  EXPECT_GT(tables, 10000U);
  EXPECT_LT(tables, 1000000U);
}

TEST(WebpLosslessTest, AnyTruncationAndAnyByteIsReadToAnEnd) {
  const std::string stream = Stream(32, 32, {0, 3, 200});
  const uint64_t whole = LosslessTableBytes(stream, 32, 32);
  for (size_t size = 0; size < stream.size(); ++size) {
    EXPECT_LE(LosslessTableBytes(stream.substr(0, size), 32, 32), whole) << size;
  }
  for (size_t at = 0; at < stream.size(); ++at) {
    std::string broken = stream;
    broken[at] = static_cast<char>(~broken[at]);
    EXPECT_GT(LosslessTableBytes(broken, 32, 32), 0U) << at;
  }
}

TEST(WebpLosslessTest, SmallFileOfManyGroupsIsRefusedBeforeItsTablesAreMade) {
  // 300 kB that are a valid picture of 1024 x 1024 pixels; its 65536 groups would take 800 MB.
  std::vector<int> numbers(65536);
  for (int i = 0; i < 65536; ++i) numbers[static_cast<size_t>(i)] = i;
  BitWriter stream;
  stream.Put(0x2F, 8);
  stream.Put(1023, 14);
  stream.Put(1023, 14);
  stream.Put(0, 4);
  std::string content = stream.bytes();
  BitWriter begin = StreamBegin(1024, 1024, numbers);
  for (int i = 0; i < 65536 * 5; ++i) PutSingleSymbol(begin);
  content += begin.bytes() + std::string(16, '\0');
  const auto picture = DecodePicture(RiffChunk("RIFF", "WEBP" + RiffChunk("VP8L", content)), {});
  EXPECT_EQ(picture.status().code(), absl::StatusCode::kOutOfRange) << picture.status();
  EXPECT_THAT(std::string(picture.status().message()), testing::HasSubstr("beside the pixels"));
}

TEST(PrefixCodeTest, ReadsSymbolsOfACanonicalCode) {
  // Lengths 1, 2, 3, 3 for the symbols 0..3, stored by a code for lengths in which 1, 2 and 3 take 1, 2, 2
  // bits.
  BitWriter out;
  out.Put(0, 1);
  out.Put(6 - 4, 4);
  for (const int length : {17, 18, 0, 1, 2, 3}) out.Put(length == 2 || length == 3 ? 2 : 0, 3);
  BitReader incomplete(out.bytes());
  PrefixCode::Read(incomplete, 4);
  EXPECT_TRUE(incomplete.failed());  // two codes of two bits leave half of the codes open

  // Lengths 1, 2, 3, 3 for the symbols 0..3, stored by a code for lengths in which 3, 1 and 2 take 1, 2 and 2
  // bits.
  BitWriter right;
  right.Put(0, 1);
  right.Put(6 - 4, 4);
  for (const int length : {17, 18, 0, 1, 2, 3})
    right.Put(length == 3 ? 1 : length == 1 || length == 2 ? 2 : 0, 3);
  right.Put(0, 1);     // all lengths are stored
  right.Put(0b01, 2);  // 1: the first code of two bits, 10
  right.Put(0b11, 2);  // 2: 11
  right.Put(0, 1);     // 3: 0
  right.Put(0, 1);
  right.Put(0b0, 1);    // symbol 0
  right.Put(0b01, 2);   // symbol 1: 10
  right.Put(0b011, 3);  // symbol 2: 110
  right.Put(0b111, 3);  // symbol 3: 111
  BitReader bits(right.bytes());
  const PrefixCode code = PrefixCode::Read(bits, 4);
  for (const int symbol : {0, 1, 2, 3}) EXPECT_EQ(code.ReadSymbol(bits), symbol);
  EXPECT_FALSE(bits.failed());
}

TEST(PrefixCodeTest, EndOfDataFails) {
  BitReader bits("");
  EXPECT_EQ(bits.Read(5), 0U);
  EXPECT_TRUE(bits.failed());
}

}  // namespace
}  // namespace waystone
