// SPDX-License-Identifier: Apache-2.0
#include "engine/fake/fake_engine.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "engine/load_checks.h"

namespace waystone {
namespace {

// Calls `use` with a value of the C++ type of `type`; the two 16-bit floats come as their bits.
template <typename Use>
auto WithElementType(DataType type, const Use& use) {
  switch (type) {
    case DataType::kBool:
    case DataType::kUint8:
      return use(uint8_t{});
    case DataType::kUint16:
    case DataType::kFloat16:
    case DataType::kBfloat16:
      return use(uint16_t{});
    case DataType::kUint32:
      return use(uint32_t{});
    case DataType::kUint64:
      return use(uint64_t{});
    case DataType::kInt8:
      return use(int8_t{});
    case DataType::kInt16:
      return use(int16_t{});
    case DataType::kInt32:
      return use(int32_t{});
    case DataType::kInt64:
      return use(int64_t{});
    case DataType::kFloat64:
      return use(double{});
    case DataType::kFloat32:
      break;
  }
  return use(float{});
}

double ReadElement(DataType type, const std::byte* where) {
  return WithElementType(type, [&](auto element) {
    std::memcpy(&element, where, sizeof(element));
    if (type == DataType::kFloat16) return static_cast<double>(HalfToFloat(static_cast<uint16_t>(element)));
    if (type == DataType::kBfloat16)
      return static_cast<double>(Bfloat16ToFloat(static_cast<uint16_t>(element)));
    return static_cast<double>(element);
  });
}

// Integers are clamped to their range.
void WriteElement(DataType type, double value, std::byte* where) {
  WithElementType(type, [&](auto element) {
    using Element = decltype(element);
    if (type == DataType::kFloat16) {
      element = static_cast<Element>(FloatToHalf(static_cast<float>(value)));
    } else if (type == DataType::kBfloat16) {
      element = static_cast<Element>(FloatToBfloat16(static_cast<float>(value)));
    } else if (type == DataType::kBool) {
      element = static_cast<Element>(value != 0);
    } else if constexpr (std::is_integral_v<Element>) {
      if (value >= static_cast<double>(std::numeric_limits<Element>::max())) {
        element = std::numeric_limits<Element>::max();
      } else if (value > static_cast<double>(std::numeric_limits<Element>::min())) {
        element = static_cast<Element>(value);
      } else {
        element = std::numeric_limits<Element>::min();
      }
    } else {
      element = static_cast<Element>(value);
    }
    std::memcpy(where, &element, sizeof(element));
  });
}

double SumOfRow(const TensorView& tensor, int64_t row) {
  const size_t row_bytes = tensor.data.size() / static_cast<size_t>(tensor.shape[0]);
  const std::byte* begin = tensor.data.data() + static_cast<size_t>(row) * row_bytes;
  double sum = 0;
  for (size_t i = 0; i < row_bytes; i += ByteSize(tensor.type)) sum += ReadElement(tensor.type, begin + i);
  return sum;
}

class FakeInstance final : public Instance {
 public:
  FakeInstance(const FakeScript& script, const ModelSignature& signature, std::vector<int> batch_sizes,
               FakeEngine::Counters& counters)
      : script_(script), signature_(signature), batch_sizes_(std::move(batch_sizes)), counters_(counters) {
    ++counters_.instances;
  }
  ~FakeInstance() override { --counters_.instances; }

  absl::StatusOr<std::span<const TensorView>> Run(std::span<const TensorView> inputs) override {
    WAYSTONE_CHECK(!running_.exchange(true), "an instance is confined to one thread at a time");
    const int64_t now_running = ++counters_.running;
    int64_t most = counters_.most_running;
    while (now_running > most && !counters_.most_running.compare_exchange_weak(most, now_running)) {
    }
    absl::Status status = RunChecked(inputs);
    --counters_.running;
    running_ = false;
    if (!status.ok()) return status;
    return std::span<const TensorView>(views_);
  }

 private:
  absl::Status RunChecked(std::span<const TensorView> inputs) {
    WAYSTONE_RETURN_IF_ERROR(CheckInputs(signature_, batch_sizes_, inputs));
    const int64_t rows = inputs[0].shape[0];
    for (const TensorView& input : inputs) {
      if (input.shape[0] != rows)
        return absl::InvalidArgumentError("the inputs have different numbers of rows");
    }
    const int64_t run = ++counters_.runs;
    if (script_.on_run) WAYSTONE_RETURN_IF_ERROR(script_.on_run(run, rows));
    WAYSTONE_RETURN_IF_ERROR(Compute(inputs, rows));
    counters_.rows += rows;
    return absl::OkStatus();
  }

  absl::Status Compute(std::span<const TensorView> inputs, int64_t rows) {
    std::vector<Tensor> outputs;
    for (const TensorSignature& signature : signature_.outputs) {
      Shape shape = signature.shape;
      shape[0] = rows;
      WAYSTONE_ASSIGN_OR_RETURN(Tensor output, Tensor::Create(signature.type, std::move(shape)));
      outputs.push_back(std::move(output));
    }
    for (int64_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (const TensorView& input : inputs) sum += SumOfRow(input, row);
      for (Tensor& output : outputs) {
        const std::span<std::byte> bytes = output.row(row);
        const size_t width = ByteSize(output.type());
        for (size_t i = 0; i < bytes.size() / width; ++i) {
          WriteElement(output.type(), sum + static_cast<double>(i), bytes.data() + i * width);
        }
      }
    }
    outputs_ = std::move(outputs);
    views_.clear();
    for (Tensor& output : outputs_) views_.push_back(output.view());
    return absl::OkStatus();
  }

  const FakeScript& script_;
  const ModelSignature& signature_;
  const std::vector<int> batch_sizes_;
  FakeEngine::Counters& counters_;
  std::atomic<bool> running_ = false;
  std::vector<Tensor> outputs_;
  std::vector<TensorView> views_;
};

class FakeModel final : public Model {
 public:
  FakeModel(const FakeScript& script, ModelSignature signature, const LoadOptions& options,
            FakeEngine::Counters& counters)
      : script_(script), signature_(std::move(signature)), options_(options), counters_(counters) {
    ++counters_.models;
  }
  ~FakeModel() override { --counters_.models; }

  const ModelSignature& signature() const override { return signature_; }
  const std::string& device() const override { return options_.device; }
  const std::string& precision() const override { return options_.precision; }
  absl::StatusOr<std::unique_ptr<Instance>> CreateInstance() const override {
    return std::make_unique<FakeInstance>(script_, signature_, options_.batch_sizes, counters_);
  }

 private:
  const FakeScript& script_;
  const ModelSignature signature_;
  const LoadOptions options_;
  FakeEngine::Counters& counters_;
};

// The arithmetic is by rows: every tensor has an axis 0, and no other axis of an output is open.
void CheckSignature(const ModelSignature& signature) {
  WAYSTONE_CHECK(!signature.inputs.empty(), "a scripted model has an input");
  for (const TensorSignature& input : signature.inputs) {
    WAYSTONE_CHECK(input.shape.rank() > 0, "a scripted input has rows");
  }
  for (const TensorSignature& output : signature.outputs) {
    WAYSTONE_CHECK(output.shape.rank() > 0, "a scripted output has rows");
    for (size_t axis = 1; axis < output.shape.rank(); ++axis) {
      WAYSTONE_CHECK(output.shape[axis] >= 0, "a scripted output leaves only axis 0 open");
    }
  }
}

}  // namespace

FakeEngine::FakeEngine(FakeScript script) : script_(std::move(script)) {
  CheckSignature(script_.signature);
  info_ = {script_.name, "scripted", script_.formats, script_.devices};
}

absl::StatusOr<std::unique_ptr<Model>> FakeEngine::Load(std::string_view bytes, const std::string& format,
                                                        const std::string& /*folder*/,
                                                        const LoadOptions& options) const {
  WAYSTONE_RETURN_IF_ERROR(CheckLoadRequest(info_, format, options));
  WAYSTONE_RETURN_IF_ERROR(CheckDevice(info_, options.device, options.precision));
  if (script_.on_load) WAYSTONE_RETURN_IF_ERROR(script_.on_load(bytes));
  WAYSTONE_ASSIGN_OR_RETURN(ModelSignature signature, NarrowSignature(script_.signature, options));
  auto model = std::make_unique<FakeModel>(script_, std::move(signature), options, counters_);
  ++counters_.loads;
  return model;
}

}  // namespace waystone
