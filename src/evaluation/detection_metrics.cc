// SPDX-License-Identifier: Apache-2.0
#include "evaluation/detection_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/check.h"

namespace waystone {
namespace {

constexpr size_t kThresholds = 10;
constexpr size_t kRecallPoints = 101;
constexpr size_t kMaxDetections = 100;  // a class and picture
constexpr double kMaxArea = 1e10;       // boxes of more square pixels are ignored, as "all areas" has it
constexpr size_t kThreshold75 = 5;      // where 0.75 stands

// Worked out as numpy's linspace(0.5, 0.95, 10) does, so that boxes exactly at a threshold fall on the same
// side.
std::array<double, kThresholds> IouThresholds() {
  std::array<double, kThresholds> thresholds;
  const double step = (0.95 - 0.5) / (kThresholds - 1);
  for (size_t i = 0; i < kThresholds; ++i) thresholds[i] = static_cast<double>(i) * step + 0.5;
  thresholds.back() = 0.95;
  return thresholds;
}

struct Region {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  double area() const { return width * height; }
};

Region RegionOf(const Box& box) {
  return {box.x_min, box.y_min, double{box.x_max} - box.x_min, double{box.y_max} - box.y_min};
}

// Intersection over union; over the detection's own area where the truth is a crowd.
double Overlap(const Region& detection, const Region& truth, bool crowd) {
  const double width =
      std::min(detection.x + detection.width, truth.x + truth.width) - std::max(detection.x, truth.x);
  const double height =
      std::min(detection.y + detection.height, truth.y + truth.height) - std::max(detection.y, truth.y);
  if (width <= 0 || height <= 0) return 0;
  const double intersection = width * height;
  const double whole = crowd ? detection.area() : detection.area() + truth.area() - intersection;
  return intersection / whole;
}

// What became of a detection, for each threshold.
struct Outcome {
  float score = 0;
  std::array<bool, kThresholds> matched = {};
  std::array<bool, kThresholds> ignored = {};
};

// Every picture's outcomes for one category.
struct CategoryOutcomes {
  std::vector<Outcome> detections;
  size_t truths = 0;  // that count
};

// A truth box within a picture, in the order of matching: those that count first.
struct Truth {
  Region region;
  bool crowd = false;
  bool ignored = false;
};

// What a picture holds of one category.
struct PictureCategory {
  std::vector<Truth> truths;
  std::vector<const ScoredBox*> detections;  // best first, ties in the order given, at most kMaxDetections
};

std::map<int64_t, PictureCategory> GroupByCategory(const TruthImage& image,
                                                   const std::vector<ScoredBox>& boxes) {
  std::map<int64_t, PictureCategory> groups;
  for (const bool ignored : {false, true}) {
    for (const TruthBox& box : image.boxes) {
      if ((box.crowd || box.area < 0 || box.area > kMaxArea) != ignored) continue;
      groups[box.category_id].truths.push_back({RegionOf(box.box), box.crowd, ignored});
    }
  }
  for (const ScoredBox& box : boxes) {
    if (std::isfinite(box.score)) groups[box.category_id].detections.push_back(&box);
  }
  for (auto& [category, group] : groups) {
    std::sort(group.detections.begin(), group.detections.end(), [](const ScoredBox* a, const ScoredBox* b) {
      return a->score != b->score ? a->score > b->score : a < b;
    });
    group.detections.resize(std::min(group.detections.size(), kMaxDetections));
  }
  return groups;
}

// The truth that a detection with these overlaps takes; nothing when none overlaps enough. One that counts is
// preferred to one that is ignored; a crowd can be taken again and again.
std::optional<size_t> FindMatch(const std::vector<Truth>& truths, const double* overlaps,
                                const std::vector<bool>& taken, double threshold) {
  double best = std::min(threshold, 1 - 1e-10);
  std::optional<size_t> match;
  for (size_t i = 0; i < truths.size(); ++i) {
    if (taken[i] && !truths[i].crowd) continue;
    if (match.has_value() && !truths[*match].ignored && truths[i].ignored) break;
    if (overlaps[i] < best) continue;
    best = overlaps[i];
    match = i;
  }
  return match;
}

// Matches the detections of one picture and category and adds what became of them.
void MatchPicture(const std::vector<Truth>& truths, const std::vector<const ScoredBox*>& detections,
                  CategoryOutcomes& outcomes) {
  static const std::array<double, kThresholds> kIouThresholds = IouThresholds();
  std::vector<double> overlaps(truths.size() * detections.size());
  std::vector<Outcome> found(detections.size());
  for (size_t d = 0; d < detections.size(); ++d) {
    const Region region = RegionOf(detections[d]->box);
    found[d].score = detections[d]->score;
    found[d].ignored.fill(region.area() < 0 || region.area() > kMaxArea);
    for (size_t t = 0; t < truths.size(); ++t) {
      overlaps[d * truths.size() + t] = Overlap(region, truths[t].region, truths[t].crowd);
    }
  }
  for (size_t level = 0; level < kThresholds; ++level) {
    std::vector<bool> taken(truths.size(), false);
    for (size_t d = 0; d < detections.size(); ++d) {
      const double* row = overlaps.data() + d * truths.size();
      const std::optional<size_t> match = FindMatch(truths, row, taken, kIouThresholds[level]);
      if (!match.has_value()) continue;
      taken[*match] = true;
      found[d].matched[level] = true;
      found[d].ignored[level] = truths[*match].ignored;
    }
  }
  outcomes.detections.insert(outcomes.detections.end(), found.begin(), found.end());
  outcomes.truths += static_cast<size_t>(
      std::count_if(truths.begin(), truths.end(), [](const Truth& truth) { return !truth.ignored; }));
}

// The sum of the precision at the recall points: the largest precision at that recall or more, 0 where it is
// not reached. `outcomes.detections` are best first.
double SumPrecision(const CategoryOutcomes& outcomes, size_t level) {
  std::vector<double> recall;
  std::vector<double> precision;
  double right = 0;
  double wrong = 0;
  for (const Outcome& outcome : outcomes.detections) {
    if (!outcome.ignored[level]) (outcome.matched[level] ? right : wrong) += 1;
    recall.push_back(right / static_cast<double>(outcomes.truths));
    precision.push_back(right / (wrong + right + std::numeric_limits<double>::epsilon()));
  }
  for (size_t i = precision.size(); i > 1; --i)
    precision[i - 2] = std::max(precision[i - 2], precision[i - 1]);
  double sum = 0;
  for (size_t point = 0; point < kRecallPoints; ++point) {
    const double wanted = point + 1 == kRecallPoints ? 1.0 : static_cast<double>(point) * 0.01;
    const auto at = std::lower_bound(recall.begin(), recall.end(), wanted);
    if (at == recall.end()) break;
    sum += precision[static_cast<size_t>(at - recall.begin())];
  }
  return sum;
}

// Best first; equal scores keep the order of the pictures.
void SortByScore(std::vector<Outcome>& outcomes) {
  std::vector<size_t> order(outcomes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return outcomes[a].score != outcomes[b].score ? outcomes[a].score > outcomes[b].score : a < b;
  });
  std::vector<Outcome> sorted;
  sorted.reserve(order.size());
  for (const size_t i : order) sorted.push_back(outcomes[i]);
  outcomes = std::move(sorted);
}

}  // namespace

DetectionMetrics EvaluateDetections(const DetectionDataset& dataset,
                                    const std::vector<std::vector<ScoredBox>>& predictions) {
  WAYSTONE_CHECK(dataset.images.size() == predictions.size(), "one list of boxes a picture");
  std::vector<size_t> picture_order(dataset.images.size());
  std::iota(picture_order.begin(), picture_order.end(), size_t{0});
  std::sort(picture_order.begin(), picture_order.end(),
            [&](size_t a, size_t b) { return dataset.images[a].id < dataset.images[b].id; });
  std::map<int64_t, CategoryOutcomes> outcomes;
  for (const size_t i : picture_order) {
    for (const auto& [category, group] : GroupByCategory(dataset.images[i], predictions[i])) {
      if (dataset.categories.contains(category))
        MatchPicture(group.truths, group.detections, outcomes[category]);
    }
  }
  std::array<double, kThresholds> sums = {};
  size_t categories = 0;  // with truth
  for (auto& [category, of_category] : outcomes) {
    if (of_category.truths == 0) continue;
    ++categories;
    SortByScore(of_category.detections);
    for (size_t level = 0; level < kThresholds; ++level) sums[level] += SumPrecision(of_category, level);
  }
  if (categories == 0) return {};
  const double points = static_cast<double>(categories * kRecallPoints);
  return {std::accumulate(sums.begin(), sums.end(), 0.0) / (points * kThresholds), sums[0] / points,
          sums[kThreshold75] / points};
}

}  // namespace waystone
