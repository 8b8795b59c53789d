// SPDX-License-Identifier: Apache-2.0
#include "scheduler/batch_policy.h"

#include <algorithm>

namespace waystone {
namespace {

constexpr double kWorthwhile = 1.03;  // a larger batch must raise rows per second by this factor

// Sizes worth a look, ascending: the preferred ones where rows suffice for one of them, else the allowed
// ones, else every size.
std::vector<int64_t> Candidates(const BatchSizes& sizes, int64_t from, int64_t to) {
  std::vector<int64_t> candidates;
  const auto add = [&](int64_t rows) {
    if (rows > from && rows <= to) candidates.push_back(rows);
  };
  std::for_each(sizes.preferred.begin(), sizes.preferred.end(), add);
  if (!candidates.empty()) return candidates;
  if (!sizes.allowed.empty()) {
    std::for_each(sizes.allowed.begin(), sizes.allowed.end(), add);
    if (to > from && (candidates.empty() || candidates.back() != to)) candidates.push_back(to);  // padded
    return candidates;
  }
  for (int64_t rows = from + 1; rows <= to; ++rows) candidates.push_back(rows);
  return candidates;
}

}  // namespace

int64_t RunRows(const BatchSizes& sizes, int64_t rows) {
  if (sizes.allowed.empty()) return rows <= sizes.max_rows ? rows : 0;
  const auto next = std::lower_bound(sizes.allowed.begin(), sizes.allowed.end(), rows);
  return next == sizes.allowed.end() ? 0 : *next;
}

int64_t ChooseRows(const BatchSizes& sizes, const BatchChoice& choice) {
  // An equal part for each idle instance, rounded up.
  const int64_t idle = std::max(1, choice.idle_instances);
  const int64_t part = (choice.waiting_rows + idle - 1) / idle;
  const int64_t most = std::max(choice.head_rows, std::min(sizes.max_rows, part));
  int64_t best = choice.head_rows;
  const auto speed = [&](int64_t rows) {
    const Duration cost = choice.cost(RunRows(sizes, rows));
    return cost <= Duration::zero() ? 0.0 : static_cast<double>(rows) / static_cast<double>(cost.count());
  };
  double best_speed = speed(best);
  for (const int64_t rows : Candidates(sizes, choice.head_rows, most)) {
    const int64_t run_rows = RunRows(sizes, rows);
    if (run_rows == 0 || choice.cost(run_rows) > choice.left) break;
    if (const double faster = speed(rows); faster > best_speed * kWorthwhile) {
      best = rows;
      best_speed = faster;
    }
  }
  return best;
}

}  // namespace waystone
