// SPDX-License-Identifier: Apache-2.0
#include "vision/preprocess/preprocess.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"
#include "vision/preprocess/placement.h"
#include "vision/preprocess/plan.h"
#include "vision/preprocess/row_kernels.h"
#include "vision/preprocess/row_store.h"
#include "vision/preprocess/spec_check.h"

namespace waystone {
namespace {

// A decoder may deliver a smaller picture only if it still has this many pixels, along a side, for each one
// that the resized picture has. A picture less than twice this factor larger than its target is therefore
// decoded in full, as the pipelines that models are measured with do; only far larger ones, which bilinear
// sampling would alias anyway, come from the decoder's own, antialiased, reduction.
constexpr int64_t kLeastOversampling = 2;

// What a thread needs while a picture is resized. Grows with the widest picture, and is cut back after it.
struct Workspace {
  static constexpr size_t kKeptSamples = size_t{1} << 18;

  PlanCache plans;
  std::array<std::vector<int16_t>, 2> resized_rows;  // kBilinear: source rows, resized along x
  std::vector<float> averaged_row;                   // kArea: source columns, resized along y
  std::vector<uint8_t> pixels;                       // one row of the network's input
  std::vector<uint8_t> padding;                      // the same, of padding only

  void Trim() {
    plans.Trim();
    if (averaged_row.size() > kKeptSamples) averaged_row = {};
  }
};

Workspace& ThreadWorkspace() {
  thread_local Workspace workspace;
  return workspace;
}

// Source rows resized along x, each once: neighbouring output rows share them. Rows y and y + 1 never share a
// place.
class ResizedRows {
 public:
  ResizedRows(ImageView image, const Plan& plan, ColorOrder order, Workspace* workspace)
      : image_(image), columns_(plan.columns), order_(order), rows_(workspace->resized_rows) {
    for (auto& row : rows_) row.resize(4 * columns_.offset.size());
  }

  // Row `y`; row `next` will be asked for after it.
  const int16_t* Get(int y, int next) {
    std::vector<int16_t>& row = rows_[static_cast<size_t>(y & 1)];
    int& held = held_[static_cast<size_t>(y & 1)];
    if (held != y) {
      ResizeRow(image_.row(y), image_.row(next), image_.width, columns_, order_, row.data());
      held = y;
    }
    return row.data();
  }

 private:
  const ImageView image_;
  const BilinearColumns& columns_;
  const ColorOrder order_;
  std::array<std::vector<int16_t>, 2>& rows_;
  std::array<int, 2> held_ = {-1, -1};
};

// One preprocessing of one picture.
struct Job {
  ImageView image;
  const Placement& placement;
  const Plan& plan;
  ColorOrder order;
  Workspace* workspace;
  RowStore store;

  uint8_t* content() const { return workspace->pixels.data() + 4 * static_cast<size_t>(placement.x.offset); }

  void Bilinear() const {
    ResizedRows rows(image, plan, order, workspace);
    for (int i = 0; i < placement.y.count; ++i) {
      const BilinearRow& row = plan.rows[static_cast<size_t>(i)];
      const BilinearRow& next = plan.rows[static_cast<size_t>(std::min(i + 1, placement.y.count - 1))];
      const int16_t* upper = rows.Get(row.upper, row.lower);
      BlendRows(upper, rows.Get(row.lower, next.upper), row, placement.x.count, content());
      store.Store(placement.y.offset + i, workspace->pixels.data());
    }
  }

  void Area() const {
    const int samples = 3 * plan.window_width;
    std::vector<float>& averaged = workspace->averaged_row;
    averaged.resize(static_cast<size_t>(samples) + 1);
    for (int i = 0; i < placement.y.count; ++i) {
      const int first = plan.area_rows.first[static_cast<size_t>(i)];
      const int start = plan.area_rows.start[static_cast<size_t>(i)];
      const int end = plan.area_rows.start[static_cast<size_t>(i) + 1];
      AverageRows(image.row(first) + 3 * static_cast<size_t>(plan.window_begin), image.stride,
                  plan.area_rows.weights.data() + start, end - start, samples, averaged.data());
      AverageColumns(averaged.data(), plan.window_begin, plan.area_columns, order, content());
      store.Store(placement.y.offset + i, workspace->pixels.data());
    }
  }
};

void FillPadding(const PreprocessSpec& spec, std::vector<uint8_t>* pixels) {
  pixels->resize(4 * static_cast<size_t>(spec.width));
  for (size_t i = 0; i < pixels->size(); i += 4) {
    std::copy(spec.pad.begin(), spec.pad.end(), pixels->begin() + static_cast<ptrdiff_t>(i));
  }
}

class FusedPreprocessor final : public Preprocessor {
 public:
  explicit FusedPreprocessor(const PreprocessSpec& spec) : spec_(spec), values_(spec) {}

  size_t row_bytes() const override {
    return 3 * static_cast<size_t>(spec_.width) * static_cast<size_t>(spec_.height) * ByteSize(spec_.type);
  }

  absl::StatusOr<InputGeometry> Run(ImageView image, int picture_width, int picture_height,
                                    std::span<std::byte> row) const override {
    WAYSTONE_RETURN_IF_ERROR(CheckPicture(image, picture_width, picture_height));
    WAYSTONE_RETURN_IF_ERROR(CheckRow(row, row_bytes(), spec_.type));
    const Placement placement = PlacePicture(spec_, picture_width, picture_height);
    Workspace& workspace = ThreadWorkspace();
    const Plan& plan =
        workspace.plans.Find({image.width, image.height, placement.x, placement.y, spec_.filter});
    FillPadding(spec_, &workspace.pixels);
    FillPadding(spec_, &workspace.padding);
    const Job job{image, placement, plan, spec_.color, &workspace, RowStore(spec_, values_, row)};
    job.store.StoreRepeated(0, placement.y.offset, workspace.padding.data());
    if (spec_.filter == ResizeFilter::kBilinear) {
      job.Bilinear();
    } else {
      job.Area();
    }
    job.store.StoreRepeated(placement.y.offset + placement.y.count, spec_.height, workspace.padding.data());
    workspace.Trim();
    return placement.geometry;
  }

  Size LeastSourceSize(int picture_width, int picture_height) const override {
    if (!CheckPictureSize(picture_width, picture_height).ok()) return {picture_width, picture_height};
    const Placement placement = PlacePicture(spec_, picture_width, picture_height);
    const auto least = [](int64_t resized, int picture) {
      return static_cast<int>(std::min<int64_t>(kLeastOversampling * resized, picture));
    };
    return {least(placement.x.resized, picture_width), least(placement.y.resized, picture_height)};
  }

 private:
  const PreprocessSpec spec_;
  const ValueTables values_;
};

// One channel: the mean of the three that `colored` makes.
class GrayPreprocessor final : public Preprocessor {
 public:
  explicit GrayPreprocessor(const PreprocessSpec& spec)
      : pixels_(static_cast<size_t>(spec.width) * static_cast<size_t>(spec.height)),
        colored_(Colored(spec)) {}

  size_t row_bytes() const override { return pixels_ * sizeof(float); }

  absl::StatusOr<InputGeometry> Run(ImageView image, int picture_width, int picture_height,
                                    std::span<std::byte> row) const override {
    WAYSTONE_RETURN_IF_ERROR(CheckRow(row, row_bytes(), DataType::kFloat32));
    thread_local std::vector<float> planes;  // the next picture needs them too
    planes.resize(3 * pixels_);
    WAYSTONE_ASSIGN_OR_RETURN(
        const InputGeometry geometry,
        colored_.Run(image, picture_width, picture_height, std::as_writable_bytes(std::span(planes))));
    float* gray = reinterpret_cast<float*>(row.data());
    for (size_t i = 0; i < pixels_; ++i) {
      gray[i] = (planes[i] + planes[pixels_ + i] + planes[2 * pixels_ + i]) / 3;
    }
    if (planes.size() > kKeptSamples) planes = {};
    return geometry;
  }

  Size LeastSourceSize(int picture_width, int picture_height) const override {
    return colored_.LeastSourceSize(picture_width, picture_height);
  }

 private:
  static constexpr size_t kKeptSamples = size_t{1} << 20;

  static PreprocessSpec Colored(PreprocessSpec spec) {
    spec.color = ColorOrder::kRgb;
    spec.layout = Layout::kNchw;
    return spec;
  }

  const size_t pixels_;
  const FusedPreprocessor colored_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Preprocessor>> Preprocessor::Create(const PreprocessSpec& spec) {
  WAYSTONE_RETURN_IF_ERROR(CheckSpec(spec));
  if (spec.color == ColorOrder::kGray) return std::make_unique<GrayPreprocessor>(spec);
  return std::make_unique<FusedPreprocessor>(spec);
}

}  // namespace waystone
