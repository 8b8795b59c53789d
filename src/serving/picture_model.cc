// SPDX-License-Identifier: Apache-2.0
#include "serving/picture_model.h"

#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "engine/load_model.h"

namespace waystone {
namespace {

// The engine's name for a file of this name.
absl::StatusOr<std::string> FormatOf(const std::string& file) {
  if (absl::EndsWith(file, ".onnx")) return "onnx";
  if (absl::EndsWith(file, ".xml")) return "ir";
  if (absl::EndsWith(file, ".tflite")) return "tflite";
  return absl::InvalidArgumentError(
      absl::StrCat("weights file '", file, "' is neither .onnx, .xml nor .tflite"));
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// What to compile for: the batch sizes of model.yaml and the size the preprocessing makes.
LoadOptions MakeLoadOptions(const ModelSpec& spec, const PictureModelOptions& options) {
  LoadOptions load;
  load.threads = options.threads;
  load.instances = options.instances;
  load.cache_dir = options.cache_dir;
  load.batch_sizes = spec.batch_sizes;
  const PreprocessSpec& input = spec.preprocess;
  load.input_shapes[spec.input] = input.layout == Layout::kNchw
                                      ? Shape({kDynamicDim, 3, input.height, input.width})
                                      : Shape({kDynamicDim, input.height, input.width, 3});
  return load;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PictureModel>> PictureModel::Load(const CatalogEntry& entry,
                                                                 const EngineRegistry& engines,
                                                                 const PictureModelOptions& options,
                                                                 const Clock& clock) {
  WAYSTONE_ASSIGN_OR_RETURN(const std::string bytes, ReadWeights(entry));
  WAYSTONE_ASSIGN_OR_RETURN(const std::string format, FormatOf(entry.spec.file));
  EngineSpec engine_spec = entry.spec.engine;
  if (!options.engine.empty() && options.engine != "auto") engine_spec.prefer = {options.engine};
  if (!options.device.empty()) engine_spec.device = options.device;
  if (!options.precision.empty()) engine_spec.precision = options.precision;

  std::unique_ptr<PictureModel> loaded(new PictureModel(clock));
  const ModelSource source{entry.name, bytes, format, FolderOf(entry.weights)};
  absl::StatusOr<LoadedModel> chosen =
      LoadModel(engines, engine_spec, source, MakeLoadOptions(entry.spec, options), options.on_fallback);
  if (!chosen.ok()) return Annotate(chosen.status(), absl::StrCat("loading ", entry.name));
  loaded->engine_name_ = chosen->engine;
  loaded->model_ = std::move(chosen->model);
  absl::StatusOr<std::unique_ptr<Pipeline>> pipeline =
      Pipeline::Create(entry.spec, loaded->model_->signature(), clock);
  if (!pipeline.ok()) return Annotate(pipeline.status(), absl::StrCat("loading ", entry.name));
  loaded->pipeline_ = *std::move(pipeline);
  return loaded;
}

absl::StatusOr<std::unique_ptr<PictureSeat>> PictureModel::CreateSeat() const {
  WAYSTONE_ASSIGN_OR_RETURN(std::unique_ptr<Instance> instance, model_->CreateInstance());
  WAYSTONE_ASSIGN_OR_RETURN(Tensor input, Tensor::Create(spec().preprocess.type, pipeline_->InputShape(1)));
  return std::unique_ptr<PictureSeat>(new PictureSeat(*this, std::move(instance), std::move(input)));
}

absl::StatusOr<PictureAnswer> PictureSeat::Predict(std::string_view encoded, const PrepareOptions& options,
                                                   const ThresholdSpec& thresholds) {
  const TimePoint begin = model_.clock().Now();
  return Finish(model_.pipeline().Prepare(encoded, options, input_.row(0)), thresholds, begin);
}

absl::StatusOr<PictureAnswer> PictureSeat::Predict(Image image, const PrepareOptions& options,
                                                   const ThresholdSpec& thresholds) {
  const TimePoint begin = model_.clock().Now();
  return Finish(model_.pipeline().PrepareImage(std::move(image), options, input_.row(0)), thresholds, begin);
}

absl::StatusOr<PictureAnswer> PictureSeat::Finish(absl::StatusOr<PreparedPicture> prepared,
                                                  const ThresholdSpec& thresholds, TimePoint begin) {
  if (!prepared.ok()) return prepared.status();
  const Clock& clock = model_.clock();
  const TimePoint run_begin = clock.Now();
  const TensorView input = input_.view();
  WAYSTONE_ASSIGN_OR_RETURN(const std::span<const TensorView> outputs, instance_->Run({&input, 1}));
  const TimePoint run_end = clock.Now();
  PictureAnswer answer;
  WAYSTONE_ASSIGN_OR_RETURN(answer.prediction,
                            model_.pipeline().Interpret(outputs, 0, *prepared, thresholds));
  const TimePoint end = clock.Now();
  StageTimes& times = answer.prediction.times;
  times.infer_ms = MillisecondsBetween(run_begin, run_end);
  times.postprocess_ms = MillisecondsBetween(run_end, end);
  times.total_ms = MillisecondsBetween(begin, end);
  answer.image = std::move(prepared->image);
  return answer;
}

absl::StatusOr<std::vector<RawOutput>> PictureSeat::RunTensor(const TensorView& input) {
  WAYSTONE_ASSIGN_OR_RETURN(const std::span<const TensorView> outputs, instance_->Run({&input, 1}));
  const ModelSignature& signature = model_.model().signature();
  std::vector<RawOutput> copies;
  for (size_t i = 0; i < outputs.size(); ++i) {
    WAYSTONE_ASSIGN_OR_RETURN(Tensor copy, Tensor::Create(outputs[i].type, outputs[i].shape));
    std::memcpy(copy.bytes().data(), outputs[i].data.data(), outputs[i].data.size());
    copies.push_back({signature.outputs[i], std::move(copy)});
  }
  return copies;
}

std::vector<const Engine*> EnginesFor(const EngineRegistry& engines, const ModelSpec& spec) {
  const absl::StatusOr<std::string> format = FormatOf(spec.file);
  std::vector<const Engine*> readers;
  if (format.ok()) readers = engines.ReadersOf(*format);
  return readers.empty() ? engines.engines() : readers;
}

}  // namespace waystone
