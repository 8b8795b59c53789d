// SPDX-License-Identifier: Apache-2.0
//
// The cells of an anchor-free detector: one grid a stride, grids in the order of the strides, cells row by
// row, all numbered through. Immutable; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

#include "types/model_spec.h"

namespace waystone {

class Grid {
 public:
  struct Level {
    int32_t stride = 1;  // pixels of the input
    int32_t columns = 0;
    int32_t first_cell = 0;
    int32_t cells = 0;
  };
  struct Position {
    size_t level = 0;
    int32_t index = 0;  // of the cell within its level
    int32_t stride = 1;
    int32_t x = 0;
    int32_t y = 0;
  };

  // InvalidArgument when there is no stride or one does not divide the input's width and height.
  static absl::StatusOr<Grid> Create(const ModelSpec& spec);

  const std::vector<Level>& levels() const { return levels_; }
  int32_t cells() const { return cells_; }
  // `cell` in [0, cells()).
  Position At(int32_t cell) const;

 private:
  Grid() = default;
  std::vector<Level> levels_;
  int32_t cells_ = 0;
};

}  // namespace waystone
