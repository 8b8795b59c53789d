// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow Lite models of an operation or two, written by hand as a FlatBuffer (schema.fbs of TensorFlow
// Lite, version 3), so that tests need no file and no library of that format. Parents are written before
// their children, since offsets point forward; every table has a list of fields of its own.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace waystone {

// TensorType of the schema.
enum class TfLiteType : int8_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kInt32 = 2,
  kUint8 = 3,
  kInt64 = 4,
  kString = 5,
  kBool = 6,
  kInt16 = 7,
  kInt8 = 9,
  kFloat64 = 10,
  kUint64 = 12,
  kUint32 = 15,
  kUint16 = 16
};

// BuiltinOperator of the schema, those that tests use.
enum class TfLiteOp : int32_t {
  kAdd = 0,
  kConv2d = 3,
  kDepthwiseConv2d = 4,
  kRelu = 19,
  kReshape = 22,
  kRnn = 24,
  kCustom = 32,
  kWhere = 109
};

// BuiltinOptions of the schema.
enum class TfLiteOptions : int8_t { kNone = 0, kConv2d = 1, kDepthwiseConv2d = 2, kRnn = 7 };

struct TinyTensor {
  TfLiteType type = TfLiteType::kFloat32;
  std::vector<int32_t> shape;
  std::string data = {};    // not empty: a constant
  bool open_batch = false;  // axis 0 is open; the shape has the size it was made with
  bool is_variable = false;
  std::string name = {};
};

struct TinyOperator {
  TfLiteOp op;
  std::vector<int32_t> inputs;  // numbers of tensors
  std::vector<int32_t> outputs;
  std::string custom = {};  // the name of a kCustom
  TfLiteOptions options_type = TfLiteOptions::kNone;
  std::vector<int32_t> options = {};  // fields of four bytes each
};

struct TinyGraph {
  std::vector<TinyTensor> tensors;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<TinyOperator> operators;
};

namespace tiny_tflite {

// A field of a table: absent, a scalar, a table, or a vector.
struct Node {
  enum class Kind { kAbsent, kScalar, kTable, kTables, kVector };
  Kind kind = Kind::kAbsent;
  std::string bytes = {};  // of a scalar or of a vector's elements
  uint32_t count = 0;      // of a vector's elements
  std::vector<Node> children = {};
};

template <typename T>
std::string Raw(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}
template <typename T>
Node Scalar(T value) {
  return {Node::Kind::kScalar, Raw(value)};
}
inline Node Table(std::vector<Node> fields) { return {Node::Kind::kTable, {}, 0, std::move(fields)}; }
inline Node Tables(std::vector<Node> tables) { return {Node::Kind::kTables, {}, 0, std::move(tables)}; }
inline Node Bytes(std::string_view bytes) {
  return {Node::Kind::kVector, std::string(bytes), static_cast<uint32_t>(bytes.size())};
}
inline Node Ints(const std::vector<int32_t>& values) {
  Node node = {Node::Kind::kVector, {}, static_cast<uint32_t>(values.size())};
  for (const int32_t value : values) node.bytes += Raw(value);
  return node;
}

class Writer {
 public:
  std::string Write(const Node& root) {
    bytes_ = Raw(uint32_t{0}) + "TFL3";
    Patch(0, WriteTable(root));
    return bytes_;
  }

 private:
  void Align(size_t to, size_t ahead = 0) {
    while ((bytes_.size() + ahead) % to != 0) bytes_.push_back('\0');
  }
  void Patch(size_t at, size_t target) {
    const auto offset = static_cast<uint32_t>(target - at);
    std::memcpy(bytes_.data() + at, &offset, sizeof(offset));
  }
  // Every field takes four bytes, which is the alignment of all that tests need.
  size_t WriteTable(const Node& table) {
    Align(4);
    const size_t vtable = bytes_.size();
    const size_t fields = table.children.size();
    bytes_ += Raw(static_cast<uint16_t>(4 + 2 * fields)) + Raw(static_cast<uint16_t>(4 + 4 * fields));
    for (size_t i = 0; i < fields; ++i) {
      const bool absent = table.children[i].kind == Node::Kind::kAbsent;
      bytes_ += Raw(static_cast<uint16_t>(absent ? 0 : 4 + 4 * i));
    }
    Align(4);
    const size_t at = bytes_.size();
    bytes_ += Raw(static_cast<int32_t>(at - vtable));
    for (const Node& field : table.children) {
      std::string scalar = field.kind == Node::Kind::kScalar ? field.bytes : std::string();
      scalar.resize(4);
      bytes_ += scalar;
    }
    for (size_t i = 0; i < fields; ++i) {
      const Node& field = table.children[i];
      if (field.kind != Node::Kind::kAbsent && field.kind != Node::Kind::kScalar) {
        Patch(at + 4 + 4 * i, WriteChild(field));
      }
    }
    return at;
  }
  size_t WriteChild(const Node& node) {
    if (node.kind == Node::Kind::kTable) return WriteTable(node);
    if (node.kind == Node::Kind::kVector) {
      Align(16, 4);  // a buffer's data
      const size_t at = bytes_.size();
      bytes_ += Raw(node.count) + node.bytes + '\0';  // a text ends so
      return at;
    }
    Align(4);
    const size_t at = bytes_.size();
    bytes_ += Raw(static_cast<uint32_t>(node.children.size())) + std::string(4 * node.children.size(), '\0');
    for (size_t i = 0; i < node.children.size(); ++i) Patch(at + 4 + 4 * i, WriteTable(node.children[i]));
    return at;
  }

  std::string bytes_;
};

inline Node TensorNode(const TinyTensor& tensor, uint32_t buffer) {
  std::vector<int32_t> signature = tensor.shape;
  if (tensor.open_batch) signature[0] = -1;
  return Table({Ints(tensor.shape), Scalar(static_cast<int8_t>(tensor.type)), Scalar(buffer),
                Bytes(tensor.name), Node{}, Scalar(static_cast<int8_t>(tensor.is_variable)), Node{},
                tensor.open_batch ? Ints(signature) : Node{}});
}

inline Node OperatorNode(const TinyOperator& op, uint32_t code) {
  std::vector<Node> options;
  for (const int32_t field : op.options) options.push_back(Scalar(field));
  const bool has_options = op.options_type != TfLiteOptions::kNone;
  return Table({Scalar(code), Ints(op.inputs), Ints(op.outputs),
                has_options ? Scalar(static_cast<int8_t>(op.options_type)) : Node{},
                has_options ? Table(options) : Node{}});
}

}  // namespace tiny_tflite

// The bytes of a model with one graph.
inline std::string TinyTfLite(const TinyGraph& graph) {
  using namespace tiny_tflite;
  std::vector<Node> buffers = {Table({})};  // the first one means none
  std::vector<Node> tensors;
  for (const TinyTensor& tensor : graph.tensors) {
    tensors.push_back(TensorNode(tensor, tensor.data.empty() ? 0 : static_cast<uint32_t>(buffers.size())));
    if (!tensor.data.empty()) buffers.push_back(Table({Bytes(tensor.data)}));
  }
  std::vector<Node> codes;
  std::vector<Node> operators;
  for (const TinyOperator& op : graph.operators) {
    operators.push_back(OperatorNode(op, static_cast<uint32_t>(codes.size())));
    codes.push_back(Table({Scalar(static_cast<int8_t>(op.op)), op.custom.empty() ? Node{} : Bytes(op.custom),
                           Scalar(int32_t{1}), Scalar(static_cast<int32_t>(op.op))}));
  }
  const Node subgraph =
      Table({Tables(tensors), Ints(graph.inputs), Ints(graph.outputs), Tables(operators), Bytes("main")});
  return Writer().Write(
      Table({Scalar(uint32_t{3}), Tables(codes), Tables({subgraph}), Bytes("tiny"), Tables(buffers)}));
}

// output = op(input), both [N, width] of `type`, N open; `custom` is the name of a kCustom.
inline TinyGraph TinyUnary(TfLiteOp op, TfLiteType type, int32_t width, std::string custom = {}) {
  return {{{.type = type, .shape = {1, width}, .open_batch = true, .name = "input"},
           {.type = type, .shape = {1, width}, .open_batch = true, .name = "output"}},
          {0},
          {1},
          {{.op = op, .inputs = {0}, .outputs = {1}, .custom = std::move(custom)}}};
}

// output = input, both [N, width] of `type`, N open: a reshape, which runs on every type.
inline TinyGraph TinyIdentity(TfLiteType type, int32_t width) {
  TinyGraph graph = TinyUnary(TfLiteOp::kReshape, type, width);
  graph.tensors.push_back({.type = TfLiteType::kInt32,
                           .shape = {2},
                           .data = tiny_tflite::Raw(int32_t{-1}) + tiny_tflite::Raw(width),
                           .name = "shape"});
  graph.operators[0].inputs = {0, 2};
  return graph;
}

}  // namespace waystone
