// SPDX-License-Identifier: Apache-2.0
//
// How much memory the tables of a lossless WebP stream take. A stream may ask for up to 65536 groups of
// prefix codes; libwebp makes tables of some 12 kB for each, so that 300 kB of file could take 700 MB and
// many seconds. The number of groups follows from the stream's leading sub-images, which this reads without
// keeping a pixel: literals are looked at, and copies of earlier pixels are stepped over because they bring
// no new group. Source: "WebP Lossless Bitstream Specification", sections 3 to 6. Thread-safe (pure). No
// error: where a stream breaks or ends early, so will the decoder, and what was found up to there counts.
#pragma once

#include <cstdint>
#include <string_view>

namespace waystone {

// Bytes for tables and sub-images. `stream` begins with the transforms, behind the header that holds the
// sizes (in an ALPH chunk there is none). Sizes in pixels, 1..16384.
uint64_t LosslessTableBytes(std::string_view stream, int width, int height);

}  // namespace waystone
