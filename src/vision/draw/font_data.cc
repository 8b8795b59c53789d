// SPDX-License-Identifier: Apache-2.0
#include "vision/draw/font_data.h"

#include <cstddef>

// WAYSTONE_LABEL_FONT is the path of the font, from CMake.
__asm__(
    ".pushsection .rodata\n"
    ".balign 16\n"
    ".globl waystone_label_font_begin\n"
    ".hidden waystone_label_font_begin\n"
    "waystone_label_font_begin:\n"
    ".incbin \"" WAYSTONE_LABEL_FONT
    "\"\n"
    ".globl waystone_label_font_end\n"
    ".hidden waystone_label_font_end\n"
    "waystone_label_font_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const char waystone_label_font_begin[];
extern const char waystone_label_font_end[];
}

namespace waystone {

std::string_view LabelFont() {
  return {waystone_label_font_begin,
          static_cast<size_t>(waystone_label_font_end - waystone_label_font_begin)};
}

}  // namespace waystone
