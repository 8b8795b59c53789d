// SPDX-License-Identifier: Apache-2.0
//
// Golden files with any content. Invariants: no crash, and what is accepted has samples inside its shapes.
#include "base/check.h"
#include "serving/golden_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto golden = waystone::ParseGoldenFile(text, "fuzz.json");
  if (!golden.ok()) return 0;
  WAYSTONE_CHECK(!golden->inputs.empty() && !golden->outputs.empty(), "a golden file has tensors");
  for (const waystone::GoldenOutput& output : golden->outputs) {
    for (const auto& [index, value] : output.samples) {
      WAYSTONE_CHECK(index < static_cast<size_t>(*output.shape.ElementCount()),
                     "a sample lies in its tensor");
    }
  }
  return 0;
}
