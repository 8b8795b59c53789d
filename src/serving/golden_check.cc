// SPDX-License-Identifier: Apache-2.0
#include "serving/golden_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/file.h"
#include "base/status.h"
#include "serving/golden_file.h"
#include "vision/decode/decode.h"
#include "vision/preprocess/preprocess.h"

namespace waystone {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxGoldenBytes = size_t{16} << 20;
constexpr size_t kMaxInputBytes = size_t{256} << 20;
constexpr double kSteps = 10;  // of an 8-bit value

std::string FolderOf(const CatalogEntry& entry) { return fs::path(entry.weights).parent_path().string(); }

absl::StatusOr<GoldenFile> ReadGoldenFile(const std::string& path) {
  WAYSTONE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxGoldenBytes));
  return ParseGoldenFile(text, path);
}

// The picture becomes the tensor as model.yaml says, each pixel where it is.
absl::Status FillFromPicture(const std::string& path, PreprocessSpec spec, Tensor& tensor) {
  WAYSTONE_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path, kMaxInputBytes));
  WAYSTONE_ASSIGN_OR_RETURN(const DecodedPicture decoded, DecodePicture(bytes, {}));
  spec.resize = ResizeMode::kStretch;
  spec.resize_short = 0;
  spec.width = decoded.image.width;
  spec.height = decoded.image.height;
  spec.type = tensor.type();
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<Preprocessor> preprocessor, Preprocessor::Create(spec));
  return preprocessor->Run(decoded.image.view(), spec.width, spec.height, tensor.row(0)).status();
}

// From the file golden/NAME.f32 where there is one, else from the picture.
absl::StatusOr<Tensor> MakeInput(const CatalogEntry& entry, const GoldenFile& golden,
                                 const GoldenInput& input) {
  WAYSTONE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create(input.type, input.shape, kMaxInputBytes));
  const fs::path raw =
      fs::path(FolderOf(entry)) / "golden" / (fs::path(input.name).filename().string() + ".f32");
  std::error_code error;
  if (!fs::is_regular_file(raw, error)) {
    WAYSTONE_RETURN_IF_ERROR(
        FillFromPicture(FolderOf(entry) + "/" + golden.picture, entry.spec.preprocess, tensor));
    return tensor;
  }
  WAYSTONE_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(raw.string(), kMaxInputBytes));
  if (bytes.size() != tensor.byte_size()) {
    return absl::InvalidArgumentError(absl::StrCat(raw.string(), " has ", bytes.size(),
                                                   " bytes; the input \"", input.name, "\" has ",
                                                   tensor.byte_size()));
  }
  std::memcpy(tensor.bytes().data(), bytes.data(), bytes.size());
  return tensor;
}

double ValueAt(const TensorView& tensor, size_t index) {
  switch (tensor.type) {
    case DataType::kFloat32:
      return tensor.As<float>()[index];
    case DataType::kFloat16:
      return HalfToFloat(tensor.As<uint16_t>()[index]);
    case DataType::kFloat64:
      return tensor.As<double>()[index];
    case DataType::kUint8:
    case DataType::kBool:
      return tensor.As<uint8_t>()[index];
    case DataType::kInt8:
      return tensor.As<int8_t>()[index];
    case DataType::kInt32:
      return tensor.As<int32_t>()[index];
    case DataType::kInt64:
      return static_cast<double>(tensor.As<int64_t>()[index]);
    default:
      return NAN;  // no golden file has it
  }
}

double ToleranceFor(const GoldenOutput& golden, bool half_input) {
  if (golden.type == DataType::kUint8 || golden.type == DataType::kInt8) return kSteps;
  if (golden.type == DataType::kInt32 || golden.type == DataType::kInt64 || golden.type == DataType::kBool)
    return 0;
  // A range includes zero, so that one value alone has one.
  const double range = std::max(golden.max, 0.0) - std::min(golden.min, 0.0);
  return (half_input ? 1e-2 : 1e-3) * std::max(range, 1e-6);
}

// The largest difference in tolerances.
absl::StatusOr<double> CompareOutput(const GoldenOutput& golden, const TensorView& tensor, bool half_input) {
  if (tensor.type != golden.type || !(tensor.shape == golden.shape)) {
    return absl::InternalError(absl::StrCat("output \"", golden.name, "\" is ", Name(tensor.type),
                                            tensor.shape.ToString(), ", the golden answer ",
                                            Name(golden.type), golden.shape.ToString()));
  }
  const double tolerance = ToleranceFor(golden, half_input);
  double worst = 0;
  for (const auto& [index, value] : golden.samples) {
    const double difference = std::abs(ValueAt(tensor, index) - value);
    if (!(difference <= tolerance)) {  // NaN too
      return absl::InternalError(absl::StrCat("output \"", golden.name, "\" has ", ValueAt(tensor, index),
                                              " at ", index, ", the golden answer ", value, " (tolerance ",
                                              tolerance, ")"));
    }
    if (tolerance > 0) worst = std::max(worst, difference / tolerance);
  }
  return worst;
}

}  // namespace

std::vector<std::string> ListGoldenFiles(const CatalogEntry& entry) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(fs::path(FolderOf(entry)) / "golden", error)) {
    if (file.path().extension() != ".json") continue;
    // One that cannot be read is listed: the comparison will say why.
    const auto golden = ReadGoldenFile(file.path().string());
    if (!golden.ok() || golden->model == entry.spec.file) files.push_back(file.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

absl::StatusOr<double> CompareWithGolden(const CatalogEntry& entry, const std::string& golden_file,
                                         const EngineRegistry& engines, const PictureModelOptions& options) {
  WAYSTONE_ASSIGN_OR_RETURN(const GoldenFile golden, ReadGoldenFile(golden_file));
  LoadOptions load;
  load.batch_sizes = {1};
  std::vector<Tensor> tensors;
  bool half_input = false;
  for (const GoldenInput& input : golden.inputs) {
    WAYSTONE_ASSIGN_OR_RETURN(Tensor tensor, MakeInput(entry, golden, input));
    load.input_shapes[input.name] = input.shape;
    half_input = half_input || input.type == DataType::kFloat16;
    tensors.push_back(std::move(tensor));
  }
  WAYSTONE_ASSIGN_OR_RETURN(const LoadedModel loaded, LoadEntry(entry, engines, load, options));
  const ModelSignature& signature = loaded.model->signature();
  std::vector<TensorView> views;
  for (const TensorSignature& wanted : signature.inputs) {
    for (size_t i = 0; i < golden.inputs.size(); ++i) {
      if (golden.inputs[i].name == wanted.name) views.push_back(tensors[i].view());
    }
  }
  if (views.size() != signature.inputs.size()) {
    return absl::InvalidArgumentError(absl::StrCat(golden_file, " lacks an input of the model"));
  }
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<Instance> instance, loaded.model->CreateInstance());
  WAYSTONE_ASSIGN_OR_RETURN(const std::span<const TensorView> outputs, instance->Run(views));
  double worst = 0;
  for (const GoldenOutput& output : golden.outputs) {
    const auto at = std::find_if(signature.outputs.begin(), signature.outputs.end(),
                                 [&](const TensorSignature& given) { return given.name == output.name; });
    if (at == signature.outputs.end()) {
      return absl::InvalidArgumentError(absl::StrCat("the model has no output \"", output.name, "\""));
    }
    WAYSTONE_ASSIGN_OR_RETURN(
        const double difference,
        CompareOutput(output, outputs[static_cast<size_t>(at - signature.outputs.begin())], half_input));
    worst = std::max(worst, difference);
  }
  return worst;
}

}  // namespace waystone
