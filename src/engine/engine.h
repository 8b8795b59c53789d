// SPDX-License-Identifier: Apache-2.0
//
// The contract between Waystone and an inference engine. Three nouns: an Engine loads bytes into a Model; a
// Model is one network compiled for one precision and device; an Instance is one seat on it, with its own
// buffers.
//
// Threads: Engine and Model are thread-safe. An Instance is confined to one thread at a time. An Engine
// outlives its models and a Model its instances. No call throws: an adapter catches everything its library
// throws. Errors: InvalidArgument (the bytes or the request are wrong), Unimplemented (the engine cannot run
// this model), FailedPrecondition (the device or the precision is not there; the text says what is missing),
// ResourceExhausted, Internal (the library failed in a way we did not foresee; its text is kept).
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "types/model_signature.h"
#include "types/model_spec.h"
#include "types/tensor.h"

namespace waystone {

// A device an engine could use, and whether this machine has it.
struct DeviceInfo {
  std::string name;  // cpu, cuda, tensorrt, ...
  bool available = false;
  std::string reason;                   // what is missing, when it is not available
  std::vector<std::string> precisions;  // f32, bf16, f16: what this machine's hardware runs
};

struct EngineInfo {
  std::string name;                  // tflite, openvino, onnxruntime, fake
  std::string version;               // of the library
  std::vector<std::string> formats;  // onnx, ir, tflite
  std::vector<DeviceInfo> devices;
};

struct LoadOptions {
  std::string precision = "f32";  // f32, bf16, f16; refused where the device does not run it, never replaced
  std::string device = "cpu";     // one device; the caller walks a fallback list
  std::map<std::string, std::string> device_options;
  int threads = 1;    // an instance's
  int instances = 1;  // how many will run at once; more can be created, but some then wait for each other
  // The batch sizes that Run accepts, set on axis 0 of every input that leaves it open; other sizes are
  // refused. An engine that is faster on static shapes compiles one network a size. Empty: any size the model
  // itself accepts.
  std::vector<int> batch_sizes;
  // Shapes to compile for, by input name, of the input's full rank; axis 0 is not looked at. An empty name
  // means the only input. Inputs that are not named keep their dynamic dimensions.
  std::map<std::string, Shape> input_shapes;
  std::string cache_dir;  // where compiled networks may be kept; empty: nowhere
};

class Instance {
 public:
  virtual ~Instance() = default;

  // Runs the network on `inputs`, in the order of the model's signature, read in place: the caller's memory
  // must stay until Run returns. The outputs, in the order of the signature, are views into this instance's
  // memory and valid until the next Run or the end of the instance. A failed run leaves the instance usable.
  virtual absl::StatusOr<std::span<const TensorView>> Run(std::span<const TensorView> inputs) = 0;
};

class Model {
 public:
  virtual ~Model() = default;
  virtual const ModelSignature& signature() const = 0;
  // The device and precision the model really runs on, for reports ("cpu", "f32").
  virtual const std::string& device() const = 0;
  virtual const std::string& precision() const = 0;
  virtual absl::StatusOr<std::unique_ptr<Instance>> CreateInstance() const = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual const EngineInfo& info() const = 0;
  // `format` is one of info().formats. `folder` is where the bytes came from, for formats that keep weights
  // beside the graph; empty when they come from a request.
  virtual absl::StatusOr<std::unique_ptr<Model>> Load(std::string_view bytes, const std::string& format,
                                                      const std::string& folder,
                                                      const LoadOptions& options) const = 0;
};

}  // namespace waystone
