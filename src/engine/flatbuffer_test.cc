// SPDX-License-Identifier: Apache-2.0
#include "engine/flatbuffer.h"

#include <string>

#include <gtest/gtest.h>

namespace waystone {
namespace {

template <typename T>
void Put(std::string& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

// A root table at 16 with the fields 0: int32 7, 1: the vector {40, 50} of int32, 2: left out, 3: a table at
// 44 whose field 0 is the int16 -3.
std::string TwoTables() {
  std::string bytes(54, '\0');
  Put<uint32_t>(bytes, 0, 16);
  Put<uint16_t>(bytes, 4, 12);  // the length of the list of fields, then the table's
  Put<uint16_t>(bytes, 6, 16);
  Put<uint16_t>(bytes, 8, 4);  // where each field is in the table
  Put<uint16_t>(bytes, 10, 8);
  Put<uint16_t>(bytes, 12, 0);
  Put<uint16_t>(bytes, 14, 12);
  Put<int32_t>(bytes, 16, 16 - 4);
  Put<int32_t>(bytes, 20, 7);
  Put<uint32_t>(bytes, 24, 32 - 24);
  Put<uint32_t>(bytes, 28, 44 - 28);
  Put<uint32_t>(bytes, 32, 2);
  Put<int32_t>(bytes, 36, 40);
  Put<int32_t>(bytes, 40, 50);
  Put<int32_t>(bytes, 44, 44 - 48);  // its list lies behind it
  Put<uint16_t>(bytes, 48, 6);
  Put<uint16_t>(bytes, 50, 6);
  Put<uint16_t>(bytes, 52, 0);
  return bytes;
}

// As TwoTables, with the inner table's field in place.
std::string WithInnerField() {
  std::string bytes = TwoTables();
  bytes.resize(56, '\0');
  Put<uint16_t>(bytes, 52, 10);  // 44 + 10
  Put<int16_t>(bytes, 54, -3);
  return bytes;
}

// The sum of all that WithInnerField says.
int64_t Walk(FlatBuffer& buffer) {
  const FlatBuffer::Table root = buffer.Root();
  int64_t sum = buffer.Scalar<int32_t>(root, 0);
  const FlatBuffer::Vector numbers = buffer.Elements(root, 1, sizeof(int32_t));
  for (uint32_t i = 0; i < numbers.size; ++i) sum += buffer.ScalarIn<int32_t>(numbers, i);
  return sum + buffer.Scalar<int16_t>(buffer.Child(root, 3), 0);
}

TEST(FlatBufferTest, ReadsScalarsVectorsAndTables) {
  const std::string bytes = WithInnerField();
  FlatBuffer buffer(bytes);
  EXPECT_EQ(Walk(buffer), 7 + 40 + 50 - 3);
  EXPECT_FALSE(buffer.broken());
}

TEST(FlatBufferTest, GivesTheFallbackForWhatATableLeavesOut) {
  const std::string bytes = TwoTables();
  FlatBuffer buffer(bytes);
  const FlatBuffer::Table root = buffer.Root();
  EXPECT_EQ(buffer.Scalar<int32_t>(root, 2, 11), 11);
  EXPECT_EQ(buffer.Scalar<int32_t>(root, 4, 12), 12);
  EXPECT_EQ(buffer.Scalar<int32_t>(root, 1'000'000, 13), 13);
  EXPECT_EQ(buffer.Elements(root, 2, 4).size, 0U);
  EXPECT_EQ(buffer.Child(root, 2).at, 0U);
  EXPECT_EQ(buffer.Scalar<int16_t>(buffer.Child(root, 3), 0, 14), 14);
  EXPECT_EQ(buffer.Scalar<int16_t>(buffer.Child(root, 2), 0, 15), 15);
  EXPECT_FALSE(buffer.broken());
}

TEST(FlatBufferTest, IsBrokenWhereverTheBytesEndTooEarly) {
  const std::string whole = WithInnerField();
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string bytes =
        whole.substr(0, size);  // its own allocation: a sanitizer sees what is read beyond
    FlatBuffer buffer(bytes);
    Walk(buffer);
    EXPECT_TRUE(buffer.broken()) << size;
  }
}

TEST(FlatBufferTest, IsBrokenByOffsetsAndSizesThatLeaveTheBytes) {
  struct Change {
    size_t at;
    uint32_t value;
  };
  for (const Change change : {Change{0, 0xFFFFFFFF}, Change{0, 55}, Change{16, 17}, Change{16, 0x80000000},
                              Change{24, 0xFFFFFFFF}, Change{32, 6}, Change{32, 0xFFFFFFFF}, Change{28, 60},
                              Change{44, 0x7FFFFFFF}, Change{48, 3}, Change{48, 9}}) {
    std::string bytes = WithInnerField();
    Put<uint32_t>(bytes, change.at, change.value);
    FlatBuffer buffer(bytes);
    Walk(buffer);
    EXPECT_TRUE(buffer.broken()) << change.at << " " << change.value;
  }
}

TEST(FlatBufferTest, HandsOutNoMoreThanItsBudget) {
  const std::string bytes = WithInnerField();
  FlatBuffer buffer(bytes);
  const FlatBuffer::Table root = buffer.Root();
  size_t reads = 0;
  while (!buffer.broken() && reads < bytes.size() * 16) {
    buffer.Elements(root, 1, sizeof(int32_t));
    ++reads;
  }
  EXPECT_TRUE(buffer.broken());
  EXPECT_EQ(reads, bytes.size() * 16 / 12 + 1);  // 12 bytes a read, and the one that was too many
  EXPECT_EQ(buffer.Elements(root, 1, sizeof(int32_t)).size, 0U);
}

}  // namespace
}  // namespace waystone
