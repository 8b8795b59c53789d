// SPDX-License-Identifier: Apache-2.0
#include "serving/picture_model.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "pipeline/object_pose.h"

namespace waystone {
namespace {

// What to compile for: the batch sizes of model.yaml and the size the preprocessing makes.
LoadOptions MakeLoadOptions(const ModelSpec& spec) {
  LoadOptions load;
  load.batch_sizes = spec.batch_sizes;
  const PreprocessSpec& input = spec.preprocess;
  load.input_shapes[spec.input] = input.layout == Layout::kNchw
                                      ? Shape({kDynamicDim, input.channels(), input.height, input.width})
                                      : Shape({kDynamicDim, input.height, input.width, input.channels()});
  return load;
}

void Add(const StageTimes& more, StageTimes& times) {
  times.decode_ms += more.decode_ms;
  times.preprocess_ms += more.preprocess_ms;
  times.infer_ms += more.infer_ms;
  times.postprocess_ms += more.postprocess_ms;
}

template <typename T>
void Append(std::vector<T>& more, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Boxes in space get their pose where the camera is known.
void LiftBoxes(const PrepareOptions& options, Answers& answers) {
  if (!options.camera.has_value()) return;
  for (Box3d& box : answers.boxes3d) box.pose = LiftBox(box.points, *options.camera);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PictureModel>> PictureModel::Load(const ModelCatalog& catalog,
                                                                 const CatalogEntry& entry,
                                                                 const EngineRegistry& engines,
                                                                 const PictureModelOptions& options,
                                                                 const Clock& clock) {
  if (entry.spec.task == Task::kMatch) {
    return absl::InvalidArgumentError(
        absl::StrCat(entry.name, " matches the features of two pictures; use: waystone match"));
  }
  std::unique_ptr<PictureModel> loaded(new PictureModel(clock));
  WAYSTONE_ASSIGN_OR_RETURN(LoadedModel chosen,
                            LoadEntry(entry, engines, MakeLoadOptions(entry.spec), options));
  loaded->engine_name_ = chosen.engine;
  loaded->model_ = std::move(chosen.model);
  ModelSpec spec = entry.spec;
  if (!spec.crop.from.empty()) {
    WAYSTONE_ASSIGN_OR_RETURN(loaded->finder_, LoadFinder(catalog, entry, engines, options, clock));
    // What is looked at is what was found, so it is called the same.
    if (spec.names.labels.empty()) spec.names.labels = loaded->finder_->spec().names.labels;
  }
  absl::StatusOr<std::unique_ptr<Pipeline>> pipeline =
      Pipeline::Create(std::move(spec), loaded->model_->signature(), clock);
  if (!pipeline.ok()) return Annotate(pipeline.status(), absl::StrCat("loading ", entry.name));
  loaded->pipeline_ = *std::move(pipeline);
  return loaded;
}

absl::StatusOr<std::unique_ptr<PictureModel>> PictureModel::LoadFinder(const ModelCatalog& catalog,
                                                                       const CatalogEntry& entry,
                                                                       const EngineRegistry& engines,
                                                                       const PictureModelOptions& options,
                                                                       const Clock& clock) {
  absl::StatusOr<CatalogEntry> finder = catalog.Find(entry.spec.crop.from);
  if (!finder.ok()) return Annotate(finder.status(), absl::StrCat("crop.from of ", entry.name));
  if (finder->spec.task != Task::kDetect) {
    return absl::InvalidArgumentError(absl::StrCat("crop.from of ", entry.name, " is ", finder->name,
                                                   ", whose task is ", Name(finder->spec.task),
                                                   ", not detect"));
  }
  PictureModelOptions of_finder = options;
  of_finder.engine.clear();
  return Load(catalog, *finder, engines, of_finder, clock);
}

absl::StatusOr<std::unique_ptr<PictureSeat>> PictureModel::CreateSeat() const {
  WAYSTONE_ASSIGN_OR_RETURN(std::unique_ptr<Instance> instance, model_->CreateInstance());
  WAYSTONE_ASSIGN_OR_RETURN(Tensor input, Tensor::Create(spec().preprocess.type, pipeline_->InputShape(1)));
  std::unique_ptr<PictureSeat> seat(new PictureSeat(*this, std::move(instance), std::move(input)));
  if (finder_ != nullptr) {
    WAYSTONE_ASSIGN_OR_RETURN(seat->finder_, finder_->CreateSeat());
  }
  return seat;
}

absl::StatusOr<PictureAnswer> PictureSeat::Predict(std::string_view encoded, const PrepareOptions& options,
                                                   const ThresholdSpec& thresholds, CropFollower* follower) {
  const TimePoint begin = model_.clock().Now();
  if (finder_ == nullptr) {
    return Finish(model_.pipeline().Prepare(encoded, options, input_.row(0)), thresholds, options, begin);
  }
  WAYSTONE_ASSIGN_OR_RETURN(Image image, model_.pipeline().Decode(encoded, options));
  const TimePoint decoded = model_.clock().Now();
  WAYSTONE_ASSIGN_OR_RETURN(PictureAnswer answer,
                            PredictCrops(std::move(image), options, thresholds, follower));
  StageTimes& times = answer.prediction.times;
  times.decode_ms = MillisecondsBetween(begin, decoded);
  times.total_ms = MillisecondsBetween(begin, model_.clock().Now());
  return answer;
}

absl::StatusOr<PictureAnswer> PictureSeat::Predict(Image image, const PrepareOptions& options,
                                                   const ThresholdSpec& thresholds, CropFollower* follower) {
  if (finder_ != nullptr) return PredictCrops(std::move(image), options, thresholds, follower);
  const TimePoint begin = model_.clock().Now();
  return Finish(model_.pipeline().PrepareImage(std::move(image), options, input_.row(0)), thresholds, options,
                begin);
}

absl::StatusOr<Prediction> PictureSeat::Run(const PreparedPicture& prepared,
                                            const ThresholdSpec& thresholds) {
  const Clock& clock = model_.clock();
  const TimePoint begin = clock.Now();
  const TensorView input = input_.view();
  WAYSTONE_ASSIGN_OR_RETURN(const std::span<const TensorView> outputs, instance_->Run({&input, 1}));
  const TimePoint run_end = clock.Now();
  WAYSTONE_ASSIGN_OR_RETURN(Prediction prediction,
                            model_.pipeline().Interpret(outputs, 0, prepared, thresholds));
  prediction.times.infer_ms = MillisecondsBetween(begin, run_end);
  prediction.times.postprocess_ms = MillisecondsBetween(run_end, clock.Now());
  return prediction;
}

absl::StatusOr<PictureAnswer> PictureSeat::Finish(absl::StatusOr<PreparedPicture> prepared,
                                                  const ThresholdSpec& thresholds,
                                                  const PrepareOptions& options, TimePoint begin) {
  if (!prepared.ok()) return prepared.status();
  PictureAnswer answer;
  WAYSTONE_ASSIGN_OR_RETURN(answer.prediction, Run(*prepared, thresholds));
  LiftBoxes(options, answer.prediction);
  answer.prediction.times.total_ms = MillisecondsBetween(begin, model_.clock().Now());
  answer.image = std::move(prepared->image);
  return answer;
}

absl::StatusOr<std::vector<PlacedCrop>> PictureSeat::Find(Image& image, const PrepareOptions& options,
                                                          StageTimes& times) {
  PrepareOptions of_finder = options;
  of_finder.keep_full_image = true;
  const ModelSpec& finder = model_.finder()->spec();
  WAYSTONE_ASSIGN_OR_RETURN(PictureAnswer found,
                            finder_->Predict(std::move(image), of_finder, finder.thresholds));
  image = std::move(found.image);
  Add(found.prediction.times, times);
  const CropSpec& crop = model_.spec().crop;
  std::vector<PlacedCrop> crops;
  for (const Detection& object : found.prediction.detections) {
    if (crops.size() >= static_cast<size_t>(crop.max_crops)) break;
    const std::string label = finder.names.Label(object.class_id);
    const bool wanted = crop.classes.empty() ||
                        std::find(crop.classes.begin(), crop.classes.end(), label) != crop.classes.end();
    if (!wanted) continue;
    if (const std::optional<TurnedRect> rect = CropAround(object, crop); rect.has_value()) {
      crops.push_back({*rect, object.class_id, object.score, object.box});
    }
  }
  return crops;
}

absl::StatusOr<PictureAnswer> PictureSeat::PredictCrops(Image image, const PrepareOptions& options,
                                                        const ThresholdSpec& thresholds,
                                                        CropFollower* follower) {
  const TimePoint begin = model_.clock().Now();
  const ModelSpec& spec = model_.spec();
  if (!spec.follow.enabled) follower = nullptr;
  PictureAnswer answer;
  Prediction& whole = answer.prediction;
  whole.width = image.width;
  whole.height = image.height;
  whole.model = spec.name;
  whole.task = spec.task;
  std::vector<PlacedCrop> crops;
  const bool find = follower == nullptr || follower->NeedsFinder(spec.follow);
  if (find) {
    WAYSTONE_ASSIGN_OR_RETURN(crops, Find(image, options, whole.times));
  }
  if (follower != nullptr) crops = follower->Merge(crops, find, static_cast<size_t>(spec.crop.max_crops));
  for (const PlacedCrop& crop : crops) {
    WAYSTONE_ASSIGN_OR_RETURN(const PreparedPicture prepared,
                              model_.pipeline().PrepareCrop(image.view(), crop.rect, options, input_.row(0)));
    WAYSTONE_ASSIGN_OR_RETURN(Prediction seen, Run(prepared, thresholds));
    MoveToPicture(crop, spec.preprocess.width, spec.preprocess.height, seen);
    Add(seen.times, whole.times);
    Append(seen.landmarks, whole.landmarks);
    Append(seen.embeddings, whole.embeddings);
    Append(seen.boxes3d, whole.boxes3d);
  }
  if (follower != nullptr) follower->Update(whole.landmarks, spec.follow);
  LiftBoxes(options, whole);
  whole.times.total_ms = MillisecondsBetween(begin, model_.clock().Now());
  if (options.keep_full_image) answer.image = std::move(image);
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

}  // namespace waystone
