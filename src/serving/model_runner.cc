// SPDX-License-Identifier: Apache-2.0
#include "serving/model_runner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status.h"
#include "serving/picture_job.h"

namespace waystone {
namespace {

constexpr int kWarmRuns = 2;  // of each size, after the first
// Engines read vectors of this many bytes; memory that starts elsewhere is copied.
constexpr uintptr_t kAligned = 16;

bool IsAligned(const TensorView& tensor) {
  return reinterpret_cast<uintptr_t>(tensor.data.data()) % kAligned == 0;
}

bool SameButForRows(const InferPlan& a, const InferPlan& b) {
  for (size_t i = 0; i < a.inputs.size(); ++i) {
    const Shape& of_a = a.inputs[i].shape;
    const Shape& of_b = b.inputs[i].shape;
    for (size_t axis = 1; axis < of_a.rank(); ++axis) {
      if (of_a[axis] != of_b[axis]) return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<std::shared_ptr<ModelRunner>> ModelRunner::Create(std::shared_ptr<const ServedModel> model,
                                                                 int workers, const Clock& clock) {
  std::shared_ptr<ModelRunner> runner(new ModelRunner(std::move(model), clock));
  const ServedModel& served = *runner->model_;
  runner->places_.resize(static_cast<size_t>(workers));
  for (Place& place : runner->places_) {
    WAYSTONE_ASSIGN_OR_RETURN(place, MakePlace(served.picture.get(), *served.narrow));
  }
  if (served.wide != nullptr) {
    WAYSTONE_ASSIGN_OR_RETURN(runner->wide_, MakePlace(served.wide_picture.get(), *served.wide));
  }
  return runner;
}

absl::StatusOr<ModelRunner::Place> ModelRunner::MakePlace(const PictureModel* picture, const Model& network) {
  Place place;
  if (picture != nullptr) {
    WAYSTONE_ASSIGN_OR_RETURN(place.seat, picture->CreateSeat());
    place.instance = &place.seat->instance();
  } else {
    WAYSTONE_ASSIGN_OR_RETURN(place.own, network.CreateInstance());
    place.instance = place.own.get();
  }
  return place;
}

bool ModelRunner::Run(Batch& batch, int worker) {
  Place& place = batch.wide ? wide_ : places_[static_cast<size_t>(worker)];
  if (dynamic_cast<PictureJob*>(batch.jobs.front().get()) != nullptr) return RunPictures(batch, place);
  std::vector<InferJob*> jobs;
  for (const std::unique_ptr<Job>& job : batch.jobs) {
    jobs.push_back(static_cast<InferJob*>(job.get()));
    jobs.back()->taken = batch.taken;
  }
  return RunTensors(jobs, batch.run_rows, place);
}

bool ModelRunner::RunPictures(Batch& batch, Place& place) {
  bool typical = true;
  for (const std::unique_ptr<Job>& job : batch.jobs) {
    typical = static_cast<PictureJob&>(*job).RunOn(*place.seat, batch.taken).ok() && typical;
  }
  return typical;
}

bool ModelRunner::RunTensors(std::span<InferJob* const> jobs, int64_t run_rows, Place& place) {
  const TimePoint begin = clock_.Now();
  absl::StatusOr<std::vector<TensorView>> inputs = Gather(jobs, run_rows, place);
  const TimePoint gathered = clock_.Now();
  const absl::StatusOr<std::span<const TensorView>> outputs =
      inputs.ok() ? place.instance->Run(*inputs)
                  : absl::StatusOr<std::span<const TensorView>>(inputs.status());
  if (!outputs.ok() && jobs.size() > 1) {
    for (InferJob* const& job : jobs) RunTensors({&job, 1}, RunRows(model_->sizes, job->plan().rows), place);
    return false;
  }
  const TimePoint ran = clock_.Now();
  int64_t at = 0;
  for (InferJob* job : jobs) {
    if (!outputs.ok()) {
      job->Reply(outputs.status());
      continue;
    }
    absl::StatusOr<std::vector<TensorView>> rows = Rows(*outputs, run_rows, at, job->plan().rows);
    at += job->plan().rows;
    if (rows.ok()) {
      job->Reply(std::span<const TensorView>(*rows));
    } else {
      job->Reply(rows.status());
    }
  }
  if (!outputs.ok()) return false;
  model_->counters->AddRun(at, {gathered - begin, ran - gathered, clock_.Now() - ran});
  return true;
}

absl::StatusOr<std::vector<TensorView>> ModelRunner::Gather(std::span<InferJob* const> jobs, int64_t run_rows,
                                                            Place& place) {
  const InferPlan& first = jobs.front()->plan();
  const bool whole = model_->signature.max_batch == 0 || first.rows == run_rows;
  const bool in_place = jobs.size() == 1 && whole && first.pictures.empty() &&
                        std::all_of(first.inputs.begin(), first.inputs.end(), IsAligned);
  if (in_place) return first.inputs;
  for (const InferJob* job : jobs) {
    if (!SameButForRows(job->plan(), first)) {
      return absl::InternalError("inputs of different shapes came into one batch");
    }
  }
  std::vector<TensorView> views;
  place.inputs.resize(first.inputs.size());
  for (size_t i = 0; i < first.inputs.size(); ++i) {
    Shape shape = first.inputs[i].shape;
    if (model_->signature.max_batch > 0) shape[0] = run_rows;
    Tensor& tensor = place.inputs[i];
    if (!(tensor.shape() == shape) || tensor.type() != first.inputs[i].type) {
      WAYSTONE_ASSIGN_OR_RETURN(tensor, Tensor::Create(first.inputs[i].type, shape));
    }
    views.push_back(tensor.view());
  }
  int64_t at = 0;
  for (const InferJob* job : jobs) {
    WAYSTONE_RETURN_IF_ERROR(Lay(*job, at, place));
    at += job->plan().rows;
  }
  return views;
}

absl::Status ModelRunner::Lay(const InferJob& job, int64_t at, Place& place) {
  const InferPlan& plan = job.plan();
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    Tensor& tensor = place.inputs[i];
    if (!plan.pictures.empty() && model_->signature.picture_input == i) {
      for (size_t row = 0; row < plan.pictures.size(); ++row) {
        PrepareOptions options;
        options.deadline = job.terms().deadline;
        WAYSTONE_RETURN_IF_ERROR(
            model_->picture->pipeline()
                .Prepare(plan.pictures[row], options, tensor.row(at + static_cast<int64_t>(row)))
                .status());
      }
      continue;
    }
    const size_t row_bytes = plan.inputs[i].data.size() / static_cast<size_t>(plan.rows);
    std::memcpy(tensor.bytes().data() + static_cast<size_t>(at) * row_bytes, plan.inputs[i].data.data(),
                plan.inputs[i].data.size());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<TensorView>> ModelRunner::Rows(std::span<const TensorView> outputs,
                                                          int64_t run_rows, int64_t at, int64_t rows) const {
  if (model_->signature.max_batch == 0) return std::vector<TensorView>(outputs.begin(), outputs.end());
  std::vector<TensorView> parts;
  for (const TensorView& output : outputs) {
    if (output.shape.rank() == 0 || output.shape[0] != run_rows) {
      return absl::InternalError(absl::StrCat("the model answers ", output.shape.ToString(),
                                              " to a batch of ", run_rows,
                                              ", so its rows cannot be told apart"));
    }
    TensorView part = output;
    part.shape[0] = rows;
    const size_t row_bytes = output.data.size() / static_cast<size_t>(run_rows);
    part.data =
        output.data.subspan(static_cast<size_t>(at) * row_bytes, static_cast<size_t>(rows) * row_bytes);
    parts.push_back(std::move(part));
  }
  return parts;
}

absl::StatusOr<Duration> ModelRunner::TimeRun(Place& place, int64_t rows) {
  std::vector<Tensor> tensors;
  std::vector<TensorView> views;
  for (const TensorSignature& input : model_->signature.tensors.inputs) {
    Shape shape = input.shape;
    if (model_->signature.max_batch > 0) shape[0] = rows;
    // What the model leaves open is 1: enough to load what it needs, though its cost says little.
    for (size_t axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] == kDynamicDim) shape[axis] = 1;
    }
    WAYSTONE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create(input.type, shape));
    tensors.push_back(std::move(tensor));
  }
  for (Tensor& tensor : tensors) views.push_back(tensor.view());
  const TimePoint begin = clock_.Now();
  WAYSTONE_RETURN_IF_ERROR(place.instance->Run(views).status());
  return clock_.Now() - begin;
}

absl::Status ModelRunner::WarmUp(Scheduler& scheduler, ModelId id) {
  std::vector<int64_t> sizes = model_->sizes.allowed;
  if (sizes.empty()) {
    for (int64_t rows = 1; rows <= model_->sizes.max_rows; rows *= 2) sizes.push_back(rows);
  }
  for (const int64_t rows : sizes) {
    for (int run = 0; run <= kWarmRuns; ++run) {
      // Each worker's first run makes its buffers; only the later ones, all on one, tell the cost.
      for (Place& place : places_) {
        WAYSTONE_ASSIGN_OR_RETURN(const Duration took, TimeRun(place, rows));
        if (run > 0) {
          scheduler.Learn(id, 0, false, rows, took);
          break;
        }
      }
    }
  }
  if (wide_.instance == nullptr) return absl::OkStatus();
  for (int run = 0; run <= kWarmRuns; ++run) {
    WAYSTONE_ASSIGN_OR_RETURN(const Duration took, TimeRun(wide_, sizes.front()));
    if (run > 0) scheduler.Learn(id, 0, true, sizes.front(), took);
  }
  return absl::OkStatus();
}

}  // namespace waystone
