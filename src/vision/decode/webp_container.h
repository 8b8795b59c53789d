// SPDX-License-Identifier: Apache-2.0
//
// The RIFF container of a WebP file (WebP container specification): canvas, first frame and EXIF are found by
// one walk over chunk headers that takes no memory. libwebp's own demuxer lists every frame of an animation,
// which a file of many tiny frames can use to take far more memory than its size. Thread-safe (pure); views
// into the file.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"

namespace waystone {

struct WebpContainer {
  int canvas_width = 0;  // pixels; 0 when the file has no extended header: the frame is the canvas
  int canvas_height = 0;
  bool animated = false;
  int frame_x = 0;  // of the first frame on the canvas
  int frame_y = 0;
  std::string_view frame;  // from the frame's ALPH, VP8 or VP8L chunk on, as libwebp's decoder takes it
  std::string_view exif;
};

// `file` begins with RIFF....WEBP. InvalidArgument or DataLoss when there is no frame in it.
absl::StatusOr<WebpContainer> ReadWebpContainer(std::string_view file);

}  // namespace waystone
