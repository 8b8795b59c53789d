// SPDX-License-Identifier: Apache-2.0
//
// Runs the batches of one served model: lays the rows of its jobs into one input, runs the network, and gives
// each job its rows of the outputs. A job alone in its batch is run on its own memory, without a copy. When
// the run of a batch fails each of its jobs is tried once alone, so that a bad row fails by itself. Workers
// have their own instance and buffers each, made beforehand; thread-safe as BatchRunner asks.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

#include "scheduler/scheduler.h"
#include "serving/infer_job.h"
#include "serving/served_model.h"

namespace waystone {

class ModelRunner final : public BatchRunner {
 public:
  // Makes an instance for each of `workers`, and the one on all cores. `clock` outlives the runner.
  static absl::StatusOr<std::shared_ptr<ModelRunner>> Create(std::shared_ptr<const ServedModel> model,
                                                             int workers, const Clock& clock);

  bool Run(Batch& batch, int worker) override;

  // Runs every allowed size on zeros, so that the first request is as fast as the others and its cost is
  // known. Before any Run.
  absl::Status WarmUp(Scheduler& scheduler, ModelId id);

  const ServedModel& model() const { return *model_; }

 private:
  // What one worker uses, or the one run on all cores.
  struct Place {
    Instance* instance = nullptr;
    std::unique_ptr<Instance> own;  // where there is no seat to share one with
    std::vector<Tensor> inputs;     // of the batch; sized by need, up to the largest batch
    std::unique_ptr<PictureSeat> seat;
  };

  ModelRunner(std::shared_ptr<const ServedModel> model, const Clock& clock)
      : model_(std::move(model)), clock_(clock) {}
  // On the instances of `picture`, where the model has one, else of `network`.
  static absl::StatusOr<Place> MakePlace(const PictureModel* picture, const Model& network);
  bool RunPictures(Batch& batch, Place& place);
  bool RunTensors(std::span<InferJob* const> jobs, int64_t run_rows, Place& place);
  absl::StatusOr<std::vector<TensorView>> Gather(std::span<InferJob* const> jobs, int64_t run_rows,
                                                 Place& place);
  absl::Status Lay(const InferJob& job, int64_t at, Place& place);
  absl::StatusOr<std::vector<TensorView>> Rows(std::span<const TensorView> outputs, int64_t run_rows,
                                               int64_t at, int64_t rows) const;
  absl::StatusOr<Duration> TimeRun(Place& place, int64_t rows);

  const std::shared_ptr<const ServedModel> model_;
  const Clock& clock_;
  std::vector<Place> places_;  // by worker
  Place wide_;
};

}  // namespace waystone
