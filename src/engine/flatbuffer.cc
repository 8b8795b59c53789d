// SPDX-License-Identifier: Apache-2.0
#include "engine/flatbuffer.h"

namespace waystone {
namespace {

constexpr size_t kVtableHeader = 4;  // bytes: its own length and the table's

}  // namespace

FlatBuffer::Vector FlatBuffer::Elements(const Table& table, size_t number, size_t width) {
  const size_t field = Field(table, number);
  if (field == 0) return {};
  const size_t length = Follow(field);
  const Vector vector = {length + sizeof(uint32_t), Load<uint32_t>(length)};
  const size_t bytes = size_t{vector.size} * width;
  if (broken_ || bytes > bytes_.size() - vector.at || bytes + sizeof(uint32_t) > budget_) {
    broken_ = true;
    return {};
  }
  budget_ -= bytes + sizeof(uint32_t);
  return vector;
}

FlatBuffer::Table FlatBuffer::Child(const Table& table, size_t number) {
  const size_t field = Field(table, number);
  return field == 0 ? Table{} : TableAt(Follow(field));
}

size_t FlatBuffer::Field(const Table& table, size_t number) {
  if (number >= table.fields) return 0;
  const uint16_t offset = Load<uint16_t>(table.vtable + kVtableHeader + 2 * number);
  return offset == 0 ? 0 : table.at + offset;
}

FlatBuffer::Table FlatBuffer::TableAt(size_t at) {
  const auto vtable = static_cast<int64_t>(at) - Load<int32_t>(at);
  if (broken_ || vtable < 0) {
    broken_ = true;
    return {};
  }
  const auto where = static_cast<size_t>(vtable);
  const size_t length = Load<uint16_t>(where);
  if (broken_ || length < kVtableHeader || length > bytes_.size() - where) {
    broken_ = true;
    return {};
  }
  return {at, where, (length - kVtableHeader) / 2};
}

}  // namespace waystone
