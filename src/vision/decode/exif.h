// SPDX-License-Identifier: Apache-2.0
//
// The one field of EXIF that pixels depend on: the orientation. Everything else in the block is skipped
// unread. Malformed EXIF is common in real files and never a reason to refuse a picture: it reads as
// orientation 1. Thread-safe (pure). Source: CIPA DC-008 (Exif 2.32), section 4.6; TIFF 6.0, section 2.
#pragma once

#include <string_view>

namespace waystone {

// 1..8 from a TIFF structure, with or without the "Exif\0\0" that goes before it in a JPEG's APP1.
int OrientationFromExif(std::string_view exif);

// True when an APP1 segment's content says that it is EXIF.
bool IsExifSegment(std::string_view segment);

}  // namespace waystone
