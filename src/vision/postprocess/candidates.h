// SPDX-License-Identifier: Apache-2.0
//
// The cells and classes of a detector's grid that score enough, found before any box is computed: of some
// 300,000 scores a handful matter. Bounded: beyond kMaxCandidates the weakest are dropped, so a model that
// scores everything high costs bounded time and memory. The order is total (score, then cell, then class), so
// answers never depend on how a sort treats ties. Confined to one thread.
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
  int32_t class_id = 0;
};

// True when a value is at least `floor`. Most cells of a picture end here, so it compares several values at
// once.
bool AnyReaches(std::span<const float> values, float floor);

class CandidateList {
 public:
  // Far above what a picture has at the score of 0.001 that average precision is measured with.
  static constexpr size_t kMaxCandidates = 30000;

  explicit CandidateList(float least_score) : floor_(least_score) {}

  // A score below this one is not worth adding. Rises when the list has been full.
  float floor() const { return floor_; }

  // Scores below the floor, NaN and infinities are left out.
  void Add(float score, int32_t cell, int32_t class_id) {
    if (!(score >= floor_) || !std::isfinite(score)) return;
    candidates_.push_back({score, cell, class_id});
    if (candidates_.size() >= 2 * kMaxCandidates) KeepBest();
  }

  // Adds the classes of a cell: `score_of(raw[i])` for each raw value of at least `raw_floor`, which is a
  // bound below which no value can reach the floor. With `best_only` just the class of the largest finite raw
  // value.
  template <typename ScoreOf>
  void AddClasses(std::span<const float> raw, float raw_floor, int32_t cell, bool best_only,
                  ScoreOf score_of);

  // Best first, at most kMaxCandidates; the list is empty afterwards.
  std::vector<Candidate> TakeBestFirst();

 private:
  void KeepBest();

  float floor_;
  std::vector<Candidate> candidates_;
};

template <typename ScoreOf>
void CandidateList::AddClasses(std::span<const float> raw, float raw_floor, int32_t cell, bool best_only,
                               ScoreOf score_of) {
  if (!AnyReaches(raw, raw_floor)) return;
  int32_t best = -1;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (!(raw[i] >= raw_floor) || !std::isfinite(raw[i])) continue;
    if (!best_only) {
      Add(score_of(raw[i]), cell, static_cast<int32_t>(i));
    } else if (best < 0 || raw[i] > raw[static_cast<size_t>(best)]) {
      best = static_cast<int32_t>(i);
    }
  }
  if (best >= 0) Add(score_of(raw[static_cast<size_t>(best)]), cell, best);
}

}  // namespace waystone
