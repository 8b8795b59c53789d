// SPDX-License-Identifier: Apache-2.0
//
// model.yaml: reading and validating. The schema is documented in docs/model-yaml.md. Errors are
// InvalidArgument and begin with "FILE:LINE: "; unknown keys are errors, so a typing mistake is never
// ignored. Thread-safe (no state).
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "types/model_spec.h"

namespace waystone {

// `file_name` is used in messages only. `labels` given as a file name are left in `labels_file`.
struct ModelYaml {
  ModelSpec spec;
  std::string labels_file;  // relative to the folder; empty when the labels are in the YAML or there are none
};
absl::StatusOr<ModelYaml> ParseModelYaml(std::string_view text, const std::string& file_name);

// Reads FOLDER/model.yaml and the labels file beside it.
absl::StatusOr<ModelSpec> ReadModelFolder(const std::string& folder);

}  // namespace waystone
