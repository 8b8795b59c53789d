// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/candidates.h"

#include <algorithm>
#include <utility>

namespace waystone {
namespace {

bool Better(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score > b.score : a.cell < b.cell;
}

}  // namespace

void CandidateList::KeepBest(std::vector<Candidate>& candidates) {
  if (candidates.size() <= kMaxCandidates) return;
  std::nth_element(candidates.begin(), candidates.begin() + kMaxCandidates, candidates.end(), Better);
  candidates.resize(kMaxCandidates);
}

std::vector<Candidate> CandidateList::TakeBestFirst(size_t class_id) {
  std::vector<Candidate> candidates = std::exchange(classes_[class_id], {});
  KeepBest(candidates);
  std::sort(candidates.begin(), candidates.end(), Better);
  return candidates;
}

}  // namespace waystone
