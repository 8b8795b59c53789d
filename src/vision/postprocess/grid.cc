// SPDX-License-Identifier: Apache-2.0
#include "vision/postprocess/grid.h"

#include <limits>

#include "absl/strings/str_cat.h"

namespace waystone {

absl::StatusOr<Grid> Grid::Create(const ModelSpec& spec) {
  const int width = spec.preprocess.width;
  const int height = spec.preprocess.height;
  if (spec.decoder.strides.empty()) return absl::InvalidArgumentError("decoder.strides is empty");
  Grid grid;
  int64_t cells = 0;
  for (const int stride : spec.decoder.strides) {
    if (stride < 1 || width < stride || height < stride || width % stride != 0 || height % stride != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "decoder.strides has ", stride, ", which does not divide the input of ", width, "x", height));
    }
    const int64_t level_cells = int64_t{width / stride} * (height / stride);
    if (cells + level_cells > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("an input of ", width, "x", height, " has too many cells"));
    }
    grid.levels_.push_back(
        {stride, width / stride, static_cast<int32_t>(cells), static_cast<int32_t>(level_cells)});
    cells += level_cells;
  }
  grid.cells_ = static_cast<int32_t>(cells);
  return grid;
}

Grid::Position Grid::At(int32_t cell) const {
  size_t i = 0;
  while (i + 1 < levels_.size() && cell >= levels_[i + 1].first_cell) ++i;
  const int32_t index = cell - levels_[i].first_cell;
  return {i, index, levels_[i].stride, index % levels_[i].columns, index / levels_[i].columns};
}

}  // namespace waystone
