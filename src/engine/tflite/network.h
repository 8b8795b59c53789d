// SPDX-License-Identifier: Apache-2.0
//
// One interpreter of TensorFlow Lite with its delegate, for fixed input shapes. Confined to one thread at a
// time.
//
// The tensors are laid out by the library's own kernels before the delegate sees the graph, although it could
// be handed over from the start: a delegate believes the shapes that the file claims for the tensors inside,
// and a file that lies made XNNPACK write past their end; the kernels compute them anew.
//
// Inputs are copied into the interpreter. It could read the caller's memory (a custom allocation), but
// XNNPACK reads some bytes past the end of every tensor, which only the library's own arena has to spare.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "engine/tflite/c_api.h"
#include "engine/tflite/conversion.h"
#include "engine/tflite/delegates.h"
#include "types/tensor.h"

namespace waystone {

class TfLiteNetwork {
 public:
  // `shapes`, in the order of the inputs, become the interpreter's. InvalidArgument (the file or the shapes
  // are wrong), Unimplemented (an operator is not known), FailedPrecondition (a delegate that is the device
  // does not take the graph). `api` and `model` outlive the network. Throws nothing.
  static absl::StatusOr<std::unique_ptr<TfLiteNetwork>> Create(const tfl::Api& api, const tfl::Model& model,
                                                               const DelegateSource& delegates, int threads,
                                                               const std::vector<Shape>& shapes);

  // Names and types of the model's inputs and outputs; shapes from the file. As DescribeInterpreter.
  static absl::StatusOr<ModelSignature> Describe(const tfl::Api& api, const tfl::Model& model,
                                                 const TfLiteGraph& graph);

  const std::vector<Shape>& shapes() const { return shapes_; }

  // Runs on inputs of exactly shapes(); with `forget`, what the last run left in variables is cleared first.
  // Appends the outputs to `outputs`, views into the interpreter, valid until its next run. `failure` is the
  // code of a run that the library refuses.
  absl::Status Run(std::span<const TensorView> inputs, bool forget, absl::StatusCode failure,
                   std::vector<TensorView>& outputs);

 private:
  TfLiteNetwork(const tfl::Api& api, std::vector<Shape> shapes) : api_(api), shapes_(std::move(shapes)) {}

  absl::Status Start(const tfl::Model& model, int threads);
  absl::Status Resize();
  absl::Status Delegate(const DelegateSource& delegates, const absl::Status& without);
  absl::Status FillInputs(std::span<const TensorView> inputs);
  absl::Status ViewOutputs(std::vector<TensorView>& outputs) const;

  using InterpreterPtr = std::unique_ptr<tfl::Interpreter, void (*)(tfl::Interpreter*)>;

  const tfl::Api& api_;
  const std::vector<Shape> shapes_;
  ErrorLog errors_;  // the interpreter reports to it
  DelegatePtr delegate_ = {nullptr, nullptr};
  InterpreterPtr interpreter_ = {nullptr, nullptr};  // goes before what it uses
};

}  // namespace waystone
