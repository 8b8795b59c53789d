// SPDX-License-Identifier: Apache-2.0
//
// model.yaml files of any content: an error that says where, or a spec within the limits that the schema
// states.
#include <cstddef>
#include <cstdint>

#include "absl/strings/match.h"

#include "base/check.h"
#include "base/relative_path.h"
#include "pipeline/model_yaml.h"

namespace {

bool IsSide(int pixels) { return pixels >= 1 && pixels <= 8192; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace waystone;
  const auto model = ParseModelYaml({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!model.ok()) {
    WAYSTONE_CHECK(absl::StartsWith(model.status().message(), "fuzz:"),
                   "an error says the file and the line");
    return 0;
  }
  const ModelSpec& spec = model->spec;
  WAYSTONE_CHECK(!spec.name.empty() && StaysInFolder(spec.file), "what is required is there");
  // A matcher takes features, not a picture: it is the one task without an input section.
  if (spec.task != Task::kMatch) {
    WAYSTONE_CHECK(IsSide(spec.preprocess.width) && IsSide(spec.preprocess.height),
                   "sizes are within limits");
  }
  WAYSTONE_CHECK(!spec.batch_sizes.empty() && spec.batch_sizes.back() <= 1024, "batches are within limits");
  WAYSTONE_CHECK(spec.thresholds.score >= 0 && spec.thresholds.score <= 1, "thresholds are within limits");
  return 0;
}
