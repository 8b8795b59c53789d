// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/candidates.h"

#include <algorithm>
#include <utility>

namespace waystone {
namespace {

bool Better(const Candidate& a, const Candidate& b) {
  if (a.score != b.score) return a.score > b.score;
  if (a.cell != b.cell) return a.cell < b.cell;
  return a.class_id < b.class_id;
}

}  // namespace

void CandidateList::KeepBest() {
  if (candidates_.size() <= kMaxCandidates) return;
  const auto last = candidates_.begin() + kMaxCandidates - 1;
  std::nth_element(candidates_.begin(), last, candidates_.end(), Better);
  floor_ = last->score;
  candidates_.resize(kMaxCandidates);
}

std::vector<Candidate> CandidateList::TakeBestFirst() {
  KeepBest();
  std::sort(candidates_.begin(), candidates_.end(), Better);
  return std::exchange(candidates_, {});
}

}  // namespace waystone
