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

// `file_name` is used in messages only. Lists given as the name of a file are left to the reader of the
// folder; the names are relative to it, and empty when the list is in the YAML or there is none.
struct ModelYaml {
  ModelSpec spec;
  std::string labels_file;
  std::string points_file;
  std::string edges_file;
};
absl::StatusOr<ModelYaml> ParseModelYaml(std::string_view text, const std::string& file_name);

// Reads FOLDER/model.yaml and the files beside it that it names: labels, points, edges.
absl::StatusOr<ModelSpec> ReadModelFolder(const std::string& folder);

}  // namespace waystone
