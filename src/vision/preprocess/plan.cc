// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/plan.h"

namespace waystone {
namespace {

Plan MakePlan(const PlanKey& key) {
  Plan plan;
  plan.key = key;
  if (key.filter == ResizeFilter::kBilinear) {
    plan.columns = MakeBilinearColumns(key.x, key.image_width);
    plan.rows = MakeBilinearRows(key.y, key.image_height);
    return plan;
  }
  plan.area_columns = MakeAreaAxis(key.x, key.image_width);
  plan.area_rows = MakeAreaAxis(key.y, key.image_height);
  const AreaAxis& columns = plan.area_columns;
  const size_t last = columns.first.size() - 1;
  plan.window_begin = columns.first.front();
  plan.window_width = columns.first[last] + columns.start[last + 1] - columns.start[last] - plan.window_begin;
  return plan;
}

size_t TableBytes(const Plan& plan) {
  return plan.columns.offset.size() * (sizeof(int32_t) + BilinearColumns::kWeights * sizeof(int16_t)) +
         plan.rows.size() * sizeof(BilinearRow) +
         (plan.area_columns.weights.size() + plan.area_rows.weights.size()) * sizeof(float);
}

}  // namespace

const Plan& PlanCache::Find(const PlanKey& key) {
  for (const Plan& plan : plans_) {
    if (plan.key == key) return plan;
  }
  Plan& place = plans_[oldest_];
  oldest_ = (oldest_ + 1) % kPlans;
  place = MakePlan(key);
  return place;
}

void PlanCache::Trim() {
  for (Plan& plan : plans_) {
    if (TableBytes(plan) > kKeptBytes) plan = Plan();
  }
}

}  // namespace waystone
