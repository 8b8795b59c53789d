// SPDX-License-Identifier: Apache-2.0
//
// How large things are drawn on a picture of a given size, so that they read the same on a thumbnail and on a
// photo of 24 megapixels. Pixels. Thread-safe (pure).
#pragma once

namespace waystone {

struct DrawStyle {
  int font_size = 0;  // 0: the picture is too small for letters that can be read
  int line = 1;       // width of a box's edge
  int padding = 1;    // between text and the edge of what it stands on

  static constexpr int kLeastFontSize = 10;
};

DrawStyle StyleFor(int width, int height);

}  // namespace waystone
