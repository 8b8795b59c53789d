// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/ssd_anchors.h"

#include <cmath>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "base/status.h"

namespace waystone {
namespace {

constexpr int64_t kMaxAnchors = int64_t{1} << 22;
constexpr int kMaxFeatureSize = 512;
// Of the smallest anchor of a reduced first feature map, as TensorFlow has it.
constexpr double kReducedScale = 0.1;

struct AnchorSize {
  float height = 0;
  float width = 0;
};

AnchorSize SizeOf(double scale, double aspect_ratio) {
  const double root = std::sqrt(aspect_ratio);
  return {static_cast<float>(scale / root), static_cast<float>(scale * root)};
}

absl::Status CheckSpec(const DecoderSpec& spec) {
  if (spec.feature_sizes.empty()) return absl::InvalidArgumentError("decoder.feature_sizes is empty");
  if (spec.aspect_ratios.empty()) return absl::InvalidArgumentError("decoder.aspect_ratios is empty");
  int64_t anchors = 0;
  for (const int size : spec.feature_sizes) {
    if (size < 1 || size > kMaxFeatureSize) {
      return absl::InvalidArgumentError(
          absl::StrCat("decoder.feature_sizes has ", size, "; it must be 1 to ", kMaxFeatureSize));
    }
    anchors += int64_t{size} * size * (static_cast<int64_t>(spec.aspect_ratios.size()) + 1);
  }
  if (anchors > kMaxAnchors) {
    return absl::InvalidArgumentError(
        absl::StrCat("decoder.feature_sizes makes ", anchors, " anchors; the limit is ", kMaxAnchors));
  }
  for (const float ratio : spec.aspect_ratios) {
    if (!(ratio > 0) || !std::isfinite(ratio)) {
      return absl::InvalidArgumentError(
          absl::StrCat("decoder.aspect_ratios has ", ratio, "; it must be above 0"));
    }
  }
  if (!(spec.min_scale > 0) || !(spec.max_scale >= spec.min_scale) || !(spec.max_scale <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat("decoder.min_scale ", spec.min_scale, " and max_scale ",
                                                   spec.max_scale, " must rise within 0 to 1"));
  }
  return absl::OkStatus();
}

// The shapes a cell of feature map `layer` has.
std::vector<AnchorSize> SizesOfLayer(const DecoderSpec& spec, size_t layer) {
  const size_t layers = spec.feature_sizes.size();
  const auto scale_of = [&](size_t i) {
    if (i >= layers) return 1.0;
    const double share = layers == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(layers - 1);
    return spec.min_scale + (double{spec.max_scale} - spec.min_scale) * share;
  };
  const double scale = scale_of(layer);
  if (layer == 0 && spec.reduce_boxes_in_lowest_layer) {
    return {SizeOf(kReducedScale, 1), SizeOf(scale, 2), SizeOf(scale, 0.5)};
  }
  std::vector<AnchorSize> sizes;
  for (const float ratio : spec.aspect_ratios) sizes.push_back(SizeOf(scale, ratio));
  sizes.push_back(SizeOf(std::sqrt(scale * scale_of(layer + 1)), 1));
  return sizes;
}

}  // namespace

absl::StatusOr<std::vector<SsdAnchor>> MakeSsdAnchors(const DecoderSpec& spec) {
  WAYSTONE_RETURN_IF_ERROR(CheckSpec(spec));
  std::vector<SsdAnchor> anchors;
  for (size_t layer = 0; layer < spec.feature_sizes.size(); ++layer) {
    const std::vector<AnchorSize> sizes = SizesOfLayer(spec, layer);
    const int cells = spec.feature_sizes[layer];
    for (int y = 0; y < cells; ++y) {
      for (int x = 0; x < cells; ++x) {
        for (const AnchorSize& size : sizes) {
          anchors.push_back({(static_cast<float>(y) + 0.5F) / static_cast<float>(cells),
                             (static_cast<float>(x) + 0.5F) / static_cast<float>(cells), size.height,
                             size.width});
        }
      }
    }
  }
  return anchors;
}

}  // namespace waystone
