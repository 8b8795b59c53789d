// SPDX-License-Identifier: Apache-2.0
//
// The tables for one geometry, and the few that a thread used last: cameras send one size for hours, and the
// tables of a small network cost about as much as a tenth of its picture. Confined to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "types/model_spec.h"
#include "vision/preprocess/axis.h"
#include "vision/preprocess/placement.h"

namespace waystone {

// What the tables depend on.
struct PlanKey {
  int image_width = 0;
  int image_height = 0;
  AxisPlacement x;
  AxisPlacement y;
  ResizeFilter filter = ResizeFilter::kBilinear;

  bool operator==(const PlanKey&) const = default;
};

struct Plan {
  PlanKey key;
  BilinearColumns columns;  // kBilinear
  std::vector<BilinearRow> rows;
  AreaAxis area_columns;  // kArea
  AreaAxis area_rows;
  int window_begin = 0;  // kArea: the source columns that count, [begin, begin + width)
  int window_width = 0;
};

class PlanCache {
 public:
  // The plan of `key`, made if needed. Valid until the next call.
  const Plan& Find(const PlanKey& key);
  // Forgets plans whose tables are large; what remains is bounded by kKeptBytes a plan.
  void Trim();

 private:
  static constexpr size_t kPlans = 4;
  static constexpr size_t kKeptBytes = size_t{1} << 20;
  std::array<Plan, kPlans> plans_;
  size_t oldest_ = 0;
};

}  // namespace waystone
