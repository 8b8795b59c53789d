// SPDX-License-Identifier: Apache-2.0
//
// ONNX models of one operation, written by hand as protobuf wire format (onnx/onnx.proto), so that tests of
// odd types need no file and no ONNX library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace waystone {

// Element types of TensorProto.DataType.
enum class OnnxType : int {
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kBfloat16 = 16
};

namespace tiny_onnx {

inline std::string Varint(uint64_t value) {
  std::string out;
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
  return out;
}
inline std::string Number(int field, uint64_t value) {
  return Varint(static_cast<uint64_t>(field) << 3) + Varint(value);
}
inline std::string Bytes(int field, std::string_view value) {
  return Varint((static_cast<uint64_t>(field) << 3) | 2) + Varint(value.size()) + std::string(value);
}

// A ValueInfoProto of shape [open, width].
inline std::string Value(std::string_view name, OnnxType type, int64_t width) {
  const std::string open = Bytes(1, Bytes(2, "N"));
  const std::string fixed = Bytes(1, Number(1, static_cast<uint64_t>(width)));
  const std::string tensor = Number(1, static_cast<uint64_t>(type)) + Bytes(2, open + fixed);
  return Bytes(1, name) + Bytes(2, Bytes(1, tensor));
}

inline std::string ModelBytes(std::string_view graph) {
  return Number(1, 8) + Bytes(8, Number(2, 13)) + Bytes(7, graph);  // ir_version 8, opset 13
}

}  // namespace tiny_onnx

// output = op(input), both [N, width] of `type`.
inline std::string TinyOnnx(std::string_view op, OnnxType type, int64_t width) {
  using namespace tiny_onnx;
  const std::string node = Bytes(1, "input") + Bytes(2, "output") + Bytes(4, op);
  return ModelBytes(Bytes(1, node) + Bytes(2, "tiny") + Bytes(11, Value("input", type, width)) +
                    Bytes(12, Value("output", type, width)));
}

// output = input + weights, floats [N, width]; the weights are the first bytes of the file `location`.
inline std::string TinyOnnxWithExternalWeights(std::string_view location, int64_t width) {
  using namespace tiny_onnx;
  const std::string node = Bytes(1, "input") + Bytes(1, "weights") + Bytes(2, "output") + Bytes(4, "Add");
  const std::string weights = Number(1, static_cast<uint64_t>(width)) + Number(2, 1) + Bytes(8, "weights") +
                              Bytes(13, Bytes(1, "location") + Bytes(2, location)) + Number(14, 1);
  return ModelBytes(Bytes(1, node) + Bytes(2, "tiny") + Bytes(5, weights) +
                    Bytes(11, Value("input", OnnxType::kFloat, width)) +
                    Bytes(12, Value("output", OnnxType::kFloat, width)));
}

}  // namespace waystone
