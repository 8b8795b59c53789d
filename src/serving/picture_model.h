// SPDX-License-Identifier: Apache-2.0
//
// A loaded picture model: its pipeline and its compiled network. A PictureSeat is what one worker uses to
// answer one picture after another: decode, preprocess, run, interpret, with buffers that are made once.
// Threads: PictureModel is thread-safe, a PictureSeat is confined to one thread at a time and must not
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
#include "pipeline/pipeline.h"
#include "serving/model_catalog.h"
#include "types/image.h"
#include "types/prediction.h"
#include "types/tensor.h"

namespace waystone {

// What the command line or the server's configuration overrides; empty fields leave what model.yaml says.
struct PictureModelOptions {
  std::string engine;  // a name, or "auto"
  std::string precision;
  std::string device;
  int threads = 1;    // of one instance
  int instances = 1;  // seats that run at once
  std::string cache_dir;
  // Called with "device asked for" and "device taken" when a configured fallback is used.
  std::function<void(const std::string& from, const std::string& to)> on_fallback;
};

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
  // seat stays usable after any of them.
  absl::StatusOr<PictureAnswer> Predict(std::string_view encoded, const PrepareOptions& options,
                                        const ThresholdSpec& thresholds);
  // The same for pixels in memory.
  absl::StatusOr<PictureAnswer> Predict(Image image, const PrepareOptions& options,
                                        const ThresholdSpec& thresholds);
  // Runs the network on `input` as it is: its shape must be one the model accepts.
  absl::StatusOr<std::vector<RawOutput>> RunTensor(const TensorView& input);

 private:
  friend class PictureModel;
  PictureSeat(const PictureModel& model, std::unique_ptr<Instance> instance, Tensor input)
      : model_(model), instance_(std::move(instance)), input_(std::move(input)) {}
  absl::StatusOr<PictureAnswer> Finish(absl::StatusOr<PreparedPicture> prepared,
                                       const ThresholdSpec& thresholds, TimePoint begin);

  const PictureModel& model_;
  std::unique_ptr<Instance> instance_;
  Tensor input_;  // one row
};

class PictureModel {
 public:
  // Reads and verifies the weights, compiles them and checks that model.yaml fits them. `clock` outlives the
  // model.
  static absl::StatusOr<std::unique_ptr<PictureModel>> Load(const CatalogEntry& entry,
                                                            const EngineRegistry& engines,
                                                            const PictureModelOptions& options,
                                                            const Clock& clock);

  const std::string& name() const { return pipeline_->spec().name; }
  const ModelSpec& spec() const { return pipeline_->spec(); }
  const Pipeline& pipeline() const { return *pipeline_; }
  const Model& model() const { return *model_; }
  const std::string& engine_name() const { return engine_name_; }
  const Clock& clock() const { return clock_; }
  absl::StatusOr<std::unique_ptr<PictureSeat>> CreateSeat() const;

 private:
  explicit PictureModel(const Clock& clock) : clock_(clock) {}

  const Clock& clock_;
  std::string engine_name_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Pipeline> pipeline_;
};

// The engines that read the weights of `spec`, in the registry's order; all where none does, so that each
// says why.
std::vector<const Engine*> EnginesFor(const EngineRegistry& engines, const ModelSpec& spec);

}  // namespace waystone
