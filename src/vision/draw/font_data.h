// SPDX-License-Identifier: Apache-2.0
//
// DejaVu Sans Bold as a TrueType file in memory, put into the program by the assembler at build time. Licence
// of the font: Bitstream Vera (free use and distribution). Thread-safe (constant data).
#pragma once

#include <string_view>

namespace waystone {

std::string_view LabelFont();

}  // namespace waystone
