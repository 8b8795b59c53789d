// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite_check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/checked_math.h"
#include "base/status.h"
#include "engine/flatbuffer.h"

namespace waystone {
namespace {

constexpr std::string_view kIdentifier = "TFL3";  // behind the root's offset
constexpr uint32_t kVersion = 3;
constexpr size_t kDeepestRank = 8;
constexpr int64_t kMostElements = int64_t{1} << 29;  // of a tensor: 2 GiB of floats
constexpr int32_t kLargestStep = 4096;               // of a stride, a dilation or a window
constexpr int32_t kAbsent = -1;                      // in an operator's inputs

// The numbers of the fields in schema.fbs.
enum ModelField : size_t {
  kModelVersion = 0,
  kModelOperatorCodes = 1,
  kModelSubgraphs = 2,
  kModelBuffers = 4
};
enum CodeField : size_t { kCodeOld = 0, kCodeBuiltin = 3 };
enum SubgraphField : size_t {
  kSubgraphTensors = 0,
  kSubgraphInputs = 1,
  kSubgraphOutputs = 2,
  kSubgraphOperators = 3
};
enum TensorField : size_t {
  kTensorShape = 0,
  kTensorBuffer = 2,
  kTensorIsVariable = 5,
  kTensorSignature = 7
};
enum BufferField : size_t { kBufferData = 0, kBufferOffset = 1 };
enum OperatorField : size_t {
  kOperatorCode = 0,
  kOperatorInputs = 1,
  kOperatorOutputs = 2,
  kOperatorOptions = 4,
  kOperatorIntermediates = 8
};

// The operators whose options are the steps of a window, and which fields of the options these are.
struct WindowOperator {
  int32_t code;
  uint32_t least_inputs;
  std::array<size_t, 4> fields;
  std::array<int32_t, 4> defaults;
};
constexpr std::array<WindowOperator, 6> kWindowOperators = {{
    {1, 1, {1, 2, 3, 4}, {0, 0, 0, 0}},   // AVERAGE_POOL_2D: strides, window
    {3, 2, {1, 2, 4, 5}, {0, 0, 1, 1}},   // CONV_2D: strides, dilations
    {4, 3, {1, 2, 5, 6}, {0, 0, 1, 1}},   // DEPTHWISE_CONV_2D, whose kernel reads the bias in any case
    {12, 1, {1, 2, 3, 4}, {0, 0, 0, 0}},  // L2_POOL_2D
    {17, 1, {1, 2, 3, 4}, {0, 0, 0, 0}},  // MAX_POOL_2D
    {67, 3, {1, 2, 1, 2}, {0, 0, 0, 0}},  // TRANSPOSE_CONV: strides
}};

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the bytes are no TensorFlow Lite model: ", what));
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : file_(bytes) {}

  absl::StatusOr<TfLiteGraph> Read();

 private:
  // What is known of a tensor while the operators are walked.
  struct Tensor {
    Shape shape;      // what the file was made with
    Shape signature;  // the same with what is open
    bool is_constant = false;
    bool is_set = false;  // it has a value: a constant, a variable, an input, or made by an operator
  };

  absl::Status ReadSubgraph(const FlatBuffer::Table& subgraph, TfLiteGraph& graph);
  absl::StatusOr<Tensor> ReadTensor(const FlatBuffer::Table& tensor);
  absl::StatusOr<Shape> ReadShape(const FlatBuffer::Vector& dims, int32_t least);
  bool HasData(const FlatBuffer::Table& buffer);
  absl::Status ReadOperator(const FlatBuffer::Table& op);
  absl::Status CheckWindow(int32_t code, const FlatBuffer::Table& op, const FlatBuffer::Vector& inputs);
  // The tensors that a vector names, which each `accepts`; a number that there is not is an error.
  template <typename Use>
  absl::Status ForTensors(const FlatBuffer::Vector& numbers, bool may_be_absent, const Use& use);

  FlatBuffer file_;
  std::vector<bool> has_data_;  // of each buffer
  std::vector<int32_t> codes_;
  std::vector<Tensor> tensors_;  // of the subgraph at hand
  bool has_variables_ = false;
};

absl::StatusOr<TfLiteGraph> Reader::Read() {
  const FlatBuffer::Table model = file_.Root();
  if (file_.Scalar<uint32_t>(model, kModelVersion) != kVersion) {
    return Wrong(absl::StrCat("its schema is not of version ", kVersion));
  }
  const FlatBuffer::Vector codes = file_.Tables(model, kModelOperatorCodes);
  for (uint32_t i = 0; i < codes.size; ++i) {
    const FlatBuffer::Table code = file_.TableIn(codes, i);
    // Old files know the field of one byte only, new ones put there what fits.
    codes_.push_back(
        std::max<int32_t>(file_.Scalar<int8_t>(code, kCodeOld), file_.Scalar<int32_t>(code, kCodeBuiltin)));
  }
  const FlatBuffer::Vector buffers = file_.Tables(model, kModelBuffers);
  for (uint32_t i = 0; i < buffers.size; ++i) has_data_.push_back(HasData(file_.TableIn(buffers, i)));
  const FlatBuffer::Vector subgraphs = file_.Tables(model, kModelSubgraphs);
  if (subgraphs.size == 0) return Wrong("it has no graph");
  TfLiteGraph primary;
  for (uint32_t i = 0; i < subgraphs.size; ++i) {
    TfLiteGraph graph;
    WAYSTONE_RETURN_IF_ERROR(ReadSubgraph(file_.TableIn(subgraphs, i), graph));
    if (i == 0) primary = std::move(graph);
  }
  if (file_.broken()) return Wrong("an offset or a length in it points outside");
  primary.has_variables = has_variables_;
  return primary;
}

absl::Status Reader::ReadSubgraph(const FlatBuffer::Table& subgraph, TfLiteGraph& graph) {
  tensors_.clear();
  const FlatBuffer::Vector tensors = file_.Tables(subgraph, kSubgraphTensors);
  for (uint32_t i = 0; i < tensors.size && !file_.broken(); ++i) {
    WAYSTONE_ASSIGN_OR_RETURN(Tensor tensor, ReadTensor(file_.TableIn(tensors, i)));
    tensors_.push_back(std::move(tensor));
  }
  WAYSTONE_RETURN_IF_ERROR(
      ForTensors(file_.Elements(subgraph, kSubgraphInputs, 4), false, [&graph](Tensor& tensor) {
        tensor.is_set = true;
        graph.inputs.push_back(tensor.signature);
        graph.default_inputs.push_back(tensor.shape);
        return absl::OkStatus();
      }));
  const FlatBuffer::Vector operators = file_.Tables(subgraph, kSubgraphOperators);
  for (uint32_t i = 0; i < operators.size && !file_.broken(); ++i) {
    WAYSTONE_RETURN_IF_ERROR(ReadOperator(file_.TableIn(operators, i)));
  }
  return ForTensors(file_.Elements(subgraph, kSubgraphOutputs, 4), false, [&graph](const Tensor& tensor) {
    if (!tensor.is_set) return Wrong("nothing makes one of its outputs");
    graph.outputs.push_back(tensor.signature);
    return absl::OkStatus();
  });
}

absl::StatusOr<Reader::Tensor> Reader::ReadTensor(const FlatBuffer::Table& table) {
  Tensor tensor;
  WAYSTONE_ASSIGN_OR_RETURN(tensor.shape, ReadShape(file_.Elements(table, kTensorShape, 4), 0));
  WAYSTONE_ASSIGN_OR_RETURN(tensor.signature, ReadShape(file_.Elements(table, kTensorSignature, 4),
                                                        static_cast<int32_t>(kDynamicDim)));
  if (tensor.signature.rank() == 0) tensor.signature = tensor.shape;
  if (!tensor.signature.Accepts(tensor.shape)) {
    return Wrong(absl::StrCat("a tensor has the shape ", tensor.shape.ToString(), " and the signature ",
                              tensor.signature.ToString()));
  }
  const std::optional<int64_t> count = tensor.shape.ElementCount();
  if (!count || *count > kMostElements) {
    return Wrong(absl::StrCat("a tensor has the shape ", tensor.shape.ToString(), "; at most ", kMostElements,
                              " elements are taken"));
  }
  const auto buffer = file_.Scalar<uint32_t>(table, kTensorBuffer);
  if (buffer > 0 && buffer >= has_data_.size()) return Wrong("a tensor has a buffer that there is not");
  const bool is_variable = file_.Scalar<uint8_t>(table, kTensorIsVariable) != 0;
  tensor.is_constant = buffer > 0 && has_data_[buffer];
  tensor.is_set = tensor.is_constant || is_variable;
  has_variables_ = has_variables_ || is_variable;
  return tensor;
}

absl::StatusOr<Shape> Reader::ReadShape(const FlatBuffer::Vector& dims, int32_t least) {
  if (dims.size > kDeepestRank) {
    return Wrong(
        absl::StrCat("a tensor has ", dims.size, " dimensions; at most ", kDeepestRank, " are taken"));
  }
  std::vector<int64_t> values;
  for (uint32_t axis = 0; axis < dims.size; ++axis) {
    values.push_back(file_.ScalarIn<int32_t>(dims, axis));
    if (values.back() < least) return Wrong("a tensor has a negative dimension");
  }
  return Shape(std::move(values));
}

bool Reader::HasData(const FlatBuffer::Table& buffer) {
  // Large files keep the data behind the FlatBuffer, at an offset of more than 1.
  return file_.Elements(buffer, kBufferData, 1).size > 0 || file_.Scalar<uint64_t>(buffer, kBufferOffset) > 1;
}

absl::Status Reader::ReadOperator(const FlatBuffer::Table& op) {
  const auto code = file_.Scalar<uint32_t>(op, kOperatorCode);
  if (code >= codes_.size()) return Wrong("an operator is of a kind that there is not");
  const FlatBuffer::Vector inputs = file_.Elements(op, kOperatorInputs, 4);
  WAYSTONE_RETURN_IF_ERROR(ForTensors(inputs, true, [](const Tensor& tensor) {
    return tensor.is_set ? absl::OkStatus() : Wrong("an operator reads a tensor before it is made");
  }));
  WAYSTONE_RETURN_IF_ERROR(ForTensors(file_.Elements(op, kOperatorIntermediates, 4), true,
                                      [](const Tensor& /*tensor*/) { return absl::OkStatus(); }));
  WAYSTONE_RETURN_IF_ERROR(ForTensors(file_.Elements(op, kOperatorOutputs, 4), false, [](Tensor& tensor) {
    if (tensor.is_set) return Wrong("an operator makes a tensor that there is already");
    tensor.is_set = true;
    return absl::OkStatus();
  }));
  return CheckWindow(codes_[code], op, inputs);
}

absl::Status Reader::CheckWindow(int32_t code, const FlatBuffer::Table& op,
                                 const FlatBuffer::Vector& inputs) {
  const auto* const known =
      std::find_if(kWindowOperators.begin(), kWindowOperators.end(),
                   [code](const WindowOperator& candidate) { return candidate.code == code; });
  if (known == kWindowOperators.end()) return absl::OkStatus();
  for (uint32_t i = 0; i < known->least_inputs; ++i) {
    if (i < inputs.size && file_.ScalarIn<int32_t>(inputs, i) != kAbsent) continue;
    return Wrong("a convolution or a pool lacks an input");
  }
  const FlatBuffer::Table options = file_.Child(op, kOperatorOptions);
  for (size_t i = 0; i < known->fields.size(); ++i) {
    const auto step = file_.Scalar<int32_t>(options, known->fields[i], known->defaults[i]);
    if (step >= 1 && step <= kLargestStep) continue;
    return Wrong(
        absl::StrCat("a convolution or a pool has a step of ", step, "; it takes 1 to ", kLargestStep));
  }
  return absl::OkStatus();
}

template <typename Use>
absl::Status Reader::ForTensors(const FlatBuffer::Vector& numbers, bool may_be_absent, const Use& use) {
  for (uint32_t i = 0; i < numbers.size; ++i) {
    const auto number = file_.ScalarIn<int32_t>(numbers, i);
    if (number == kAbsent && may_be_absent) continue;
    if (number < 0 || static_cast<size_t>(number) >= tensors_.size()) {
      return Wrong("it names a tensor that there is not");
    }
    WAYSTONE_RETURN_IF_ERROR(use(tensors_[static_cast<size_t>(number)]));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TfLiteGraph> ReadTfLiteGraph(std::string_view bytes) {
  constexpr size_t kIdentifierAt = sizeof(uint32_t);
  if (bytes.size() < kIdentifierAt + kIdentifier.size() ||
      bytes.substr(kIdentifierAt, kIdentifier.size()) != kIdentifier) {
    return Wrong("there is no 'TFL3' at its beginning");
  }
  return Reader(bytes).Read();
}

}  // namespace waystone
