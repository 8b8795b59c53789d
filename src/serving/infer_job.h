// SPDX-License-Identifier: Apache-2.0
//
// An inference that was planned and waits for its turn, or a part of one that had more rows than a run takes.
// Its answer is the caller's to make: the outputs of a run are views that are valid only until the answer
// returns. Confined to one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "absl/status/statusor.h"

#include "scheduler/job.h"
#include "serving/infer_plan.h"
#include "types/tensor.h"

namespace waystone {

class InferJob final : public Job {
 public:
  // The rows of this job in each output of the model, in the order of its signature, or why there are none.
  // Called exactly once.
  using Answer =
      std::function<void(const InferJob& job, absl::StatusOr<std::span<const TensorView>> outputs)>;

  InferJob(JobTerms terms, InferPlan plan, std::shared_ptr<const void> memory, Answer answer)
      : Job(std::move(terms)),
        plan_(std::move(plan)),
        memory_(std::move(memory)),
        answer_(std::move(answer)) {}

  const InferPlan& plan() const { return plan_; }
  TimePoint taken{};  // by the worker that runs it

  void Refuse(absl::Status reason) override { answer_(*this, std::move(reason)); }
  void Reply(absl::StatusOr<std::span<const TensorView>> outputs) { answer_(*this, std::move(outputs)); }

 private:
  const InferPlan plan_;
  const std::shared_ptr<const void> memory_;  // what the plan's inputs point to
  const Answer answer_;
};

}  // namespace waystone
