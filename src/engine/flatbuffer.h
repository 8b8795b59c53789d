// SPDX-License-Identifier: Apache-2.0
//
// Bounds-checked reading of FlatBuffers (flatbuffers.dev/internals), without a schema compiler or the
// library: a table's fields are asked for by their number in the schema. What lies outside the bytes reads as
// absent or zero and leaves the buffer broken(), so a walk needs one check at its end and not one a step.
// Vectors may overlap in a forged file; all that is handed out counts against a budget that grows with the
// file, and beyond it the buffer is broken too, so no walk takes more than linear time. Confined to one
// thread at a time; views into the caller's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace waystone {

class FlatBuffer {
 public:
  struct Table {
    size_t at = 0;      // 0: absent
    size_t vtable = 0;  // where its list of field offsets begins
    size_t fields = 0;  // how many fields the list has
  };
  struct Vector {
    size_t at = 0;  // of the first element; 0: absent
    uint32_t size = 0;
  };

  explicit FlatBuffer(std::string_view bytes) : bytes_(bytes), budget_(kBudget * bytes.size()) {}

  bool broken() const { return broken_; }

  Table Root() { return TableAt(Follow(0)); }
  // Field `number` of `table`; `fallback` where the table leaves it out.
  template <typename T>
  T Scalar(const Table& table, size_t number, T fallback = {}) {
    const size_t at = Field(table, number);
    return at == 0 ? fallback : Load<T>(at);
  }
  // A vector field whose elements are `width` bytes each; they lie within the bytes.
  Vector Elements(const Table& table, size_t number, size_t width);
  // Vectors of tables have 4-byte elements.
  Vector Tables(const Table& table, size_t number) { return Elements(table, number, 4); }
  // A table field; absent where the table leaves it out.
  Table Child(const Table& table, size_t number);
  // Element `i` of a vector of tables or of scalars; `i` is less than its size.
  Table TableIn(const Vector& tables, uint32_t i) { return TableAt(Follow(tables.at + size_t{i} * 4)); }
  template <typename T>
  T ScalarIn(const Vector& scalars, uint32_t i) {
    return Load<T>(scalars.at + i * sizeof(T));
  }

 private:
  static constexpr size_t kBudget = 16;  // times the file: real files hardly share vectors

  template <typename T>
  T Load(size_t at) {
    T value = {};
    if (at > bytes_.size() || bytes_.size() - at < sizeof(T)) {
      broken_ = true;
    } else {
      std::memcpy(&value, bytes_.data() + at, sizeof(T));  // the format is little-endian, as are our machines
    }
    return value;
  }
  // The position that the offset at `at` points to.
  size_t Follow(size_t at) { return at + Load<uint32_t>(at); }
  // The position of a table's field; 0 where the table leaves it out.
  size_t Field(const Table& table, size_t number);
  Table TableAt(size_t at);

  std::string_view bytes_;
  size_t budget_;
  bool broken_ = false;
};

}  // namespace waystone
