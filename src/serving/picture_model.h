// SPDX-License-Identifier: Apache-2.0
//
// A loaded picture model: its pipeline and its compiled network. A PictureSeat is what one worker uses to
// answer one picture after another: decode, preprocess, run, interpret, with buffers that are made once. A
// model whose model.yaml has a crop brings the model that finds what it looks at, and runs once for each
// crop. Threads: PictureModel is thread-safe, a PictureSeat is confined to one thread at a time and must not
// outlive its model.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "base/clock.h"
#include "engine/engine.h"
#include "engine/registry.h"
#include "pipeline/crop.h"
#include "pipeline/pipeline.h"
#include "serving/load_entry.h"
#include "serving/model_catalog.h"
#include "types/image.h"
#include "types/prediction.h"
#include "types/tensor.h"

namespace waystone {

struct PictureAnswer {
  Prediction prediction;
  Image image;  // the upright full-size picture, when it was asked for
};

// Named raw outputs of a run on a raw tensor; copies.
struct RawOutput {
  TensorSignature signature;
  Tensor tensor;
};

class PictureModel;

class PictureSeat {
 public:
  // The answer for an encoded picture. Errors are those of decoding, of the engine and of the decoder; the
  // seat stays usable after any of them. `follower` is for the frames of one camera in order: where the model
  // says so, it looks first where things were in the last frame.
  absl::StatusOr<PictureAnswer> Predict(std::string_view encoded, const PrepareOptions& options,
                                        const ThresholdSpec& thresholds, CropFollower* follower = nullptr);
  // The same for pixels in memory.
  absl::StatusOr<PictureAnswer> Predict(Image image, const PrepareOptions& options,
                                        const ThresholdSpec& thresholds, CropFollower* follower = nullptr);
  // Runs the network on `input` as it is: its shape must be one the model accepts.
  absl::StatusOr<std::vector<RawOutput>> RunTensor(const TensorView& input);
  // The network's, for runs beside pictures; between them, not within.
  Instance& instance() { return *instance_; }

 private:
  friend class PictureModel;
  PictureSeat(const PictureModel& model, std::unique_ptr<Instance> instance, Tensor input)
      : model_(model), instance_(std::move(instance)), input_(std::move(input)) {}
  // Runs the network on the row that was prepared and reads its outputs; infer_ms and postprocess_ms are set.
  absl::StatusOr<Prediction> Run(const PreparedPicture& prepared, const ThresholdSpec& thresholds);
  absl::StatusOr<PictureAnswer> Finish(absl::StatusOr<PreparedPicture> prepared,
                                       const ThresholdSpec& thresholds, const PrepareOptions& options,
                                       TimePoint begin);
  // For a model with crops.
  absl::StatusOr<PictureAnswer> PredictCrops(Image image, const PrepareOptions& options,
                                             const ThresholdSpec& thresholds, CropFollower* follower);
  // Where the finder saw what this model looks at; the picture goes there and comes back.
  absl::StatusOr<std::vector<PlacedCrop>> Find(Image& image, const PrepareOptions& options,
                                               StageTimes& times);

  const PictureModel& model_;
  std::unique_ptr<Instance> instance_;
  Tensor input_;                         // one row
  std::unique_ptr<PictureSeat> finder_;  // for a model with crops
};

class PictureModel {
 public:
  // Reads and verifies the weights, compiles them and checks that model.yaml fits them. A model that `entry`
  // names as its finder comes from `catalog` and is loaded with the same options, but for the engine, which
  // is its own matter. `clock` outlives the model.
  static absl::StatusOr<std::unique_ptr<PictureModel>> Load(const ModelCatalog& catalog,
                                                            const CatalogEntry& entry,
                                                            const EngineRegistry& engines,
                                                            const PictureModelOptions& options,
                                                            const Clock& clock);

  const std::string& name() const { return pipeline_->spec().name; }
  const ModelSpec& spec() const { return pipeline_->spec(); }
  const Pipeline& pipeline() const { return *pipeline_; }
  const Model& model() const { return *model_; }
  const std::string& engine_name() const { return engine_name_; }
  const Clock& clock() const { return clock_; }
  // The model that finds where this one looks; null for a model that looks at the whole picture.
  const PictureModel* finder() const { return finder_.get(); }
  absl::StatusOr<std::unique_ptr<PictureSeat>> CreateSeat() const;

 private:
  explicit PictureModel(const Clock& clock) : clock_(clock) {}
  static absl::StatusOr<std::unique_ptr<PictureModel>> LoadFinder(const ModelCatalog& catalog,
                                                                  const CatalogEntry& entry,
                                                                  const EngineRegistry& engines,
                                                                  const PictureModelOptions& options,
                                                                  const Clock& clock);

  const Clock& clock_;
  std::string engine_name_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Pipeline> pipeline_;
  std::unique_ptr<PictureModel> finder_;
};

}  // namespace waystone
