// SPDX-License-Identifier: Apache-2.0
//
// The element types a tensor can have, with the names of the Open Inference Protocol v2 ("FP32", "UINT8",
// ...).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace waystone {

enum class DataType : uint8_t {
  kBool,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
};

// Bytes of one element.
size_t ByteSize(DataType type);
// The protocol's name: BOOL, UINT8, ..., FP16, BF16, FP32, FP64.
absl::string_view Name(DataType type);
// The type of a protocol name; nothing for an unknown one.
std::optional<DataType> DataTypeFromName(absl::string_view name);

// Conversions between IEEE 754 binary16 / bfloat16 bits and float; round to nearest even, NaN stays NaN.
float HalfToFloat(uint16_t bits);
uint16_t FloatToHalf(float value);
float Bfloat16ToFloat(uint16_t bits);
uint16_t FloatToBfloat16(float value);

}  // namespace waystone
