// SPDX-License-Identifier: Apache-2.0
//
// The cells and classes of a detector's grid that score enough, found before any box is computed: of some
// 300,000 scores a handful matter. Bounded for each class, so that a model that scores everything high, or a
// request for everything above 0, costs bounded time and memory and no class starves another. The order is
// total (score, then cell), so answers never depend on how a sort treats ties. Confined to one thread.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vision/postprocess/score_scan.h"

namespace waystone {

struct Candidate {
  float score = 0;
  int32_t cell = 0;
};

class CandidateList {
 public:
  // Of a class. Ten times what a class may answer in the measure of average precision, where the score is
  // 0.001.
  static constexpr size_t kMaxCandidates = 1000;

  CandidateList(int64_t classes, float least_score)
      : floor_(least_score), classes_(static_cast<size_t>(classes)) {}

  size_t classes() const { return classes_.size(); }
  // A score below this one is left out.
  float floor() const { return floor_; }

  // Scores below the floor, NaN and infinities are left out.
  void Add(float score, int32_t cell, size_t class_id) {
    if (!(score >= floor_) || !std::isfinite(score)) return;
    std::vector<Candidate>& candidates = classes_[class_id];
    candidates.push_back({score, cell});
    if (candidates.size() >= 2 * kMaxCandidates) KeepBest(candidates);
  }

  // Adds the classes of a cell: `score_of(raw[i])` for each raw value of at least `raw_floor`, which is a
  // bound below which no value can reach the floor. With `best_only` just the class of the largest finite raw
  // value.
  template <typename ScoreOf>
  void AddClasses(std::span<const float> raw, float raw_floor, int32_t cell, bool best_only,
                  ScoreOf score_of);

  // Those of a class, best first, at most kMaxCandidates; it has none afterwards.
  std::vector<Candidate> TakeBestFirst(size_t class_id);

 private:
  static void KeepBest(std::vector<Candidate>& candidates);

  float floor_;
  std::vector<std::vector<Candidate>> classes_;
};

template <typename ScoreOf>
void CandidateList::AddClasses(std::span<const float> raw, float raw_floor, int32_t cell, bool best_only,
                               ScoreOf score_of) {
  if (!AnyReaches(raw, raw_floor)) return;
  size_t best = raw.size();
  for (size_t i = 0; i < raw.size(); ++i) {
    if (!(raw[i] >= raw_floor) || !std::isfinite(raw[i])) continue;
    if (!best_only) {
      Add(score_of(raw[i]), cell, i);
    } else if (best == raw.size() || raw[i] > raw[best]) {
      best = i;
    }
  }
  if (best < raw.size()) Add(score_of(raw[best]), cell, best);
}

}  // namespace waystone
