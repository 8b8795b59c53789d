// SPDX-License-Identifier: Apache-2.0
//
// A picture, or a raw tensor for a picture model, that waits for its turn. Confined to one thread at a time.
#pragma once

#include <functional>
#include <utility>

#include "absl/status/statusor.h"

#include "scheduler/job.h"
#include "serving/picture_model.h"

namespace waystone {

class PictureJob final : public Job {
 public:
  // Answers on the seat it is given, on the worker's thread; exactly one of this and `refuse` is called,
  // once. The status is that of the answer.
  using Run = std::function<absl::Status(PictureSeat& seat, TimePoint taken)>;

  PictureJob(JobTerms terms, Run run, std::function<void(absl::Status)> refuse)
      : Job(std::move(terms)), run_(std::move(run)), refuse_(std::move(refuse)) {}

  absl::Status RunOn(PictureSeat& seat, TimePoint taken) const { return run_(seat, taken); }
  void Refuse(absl::Status reason) override { refuse_(std::move(reason)); }

 private:
  const Run run_;
  const std::function<void(absl::Status)> refuse_;
};

}  // namespace waystone
