// SPDX-License-Identifier: Apache-2.0
//
// The models of the given folders: every subfolder with a model.yaml is one. The weights lie beside the
// model.yaml or in the folder of the same name under another of the model directories, so descriptions can
// live in a repository and weights elsewhere. A model.yaml that does not parse is kept with its error: one
// bad model never hides the others. Immutable after Scan(); thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "types/model_spec.h"

namespace waystone {

struct CatalogEntry {
  std::string name;     // of the folder, equal to spec.name when the entry is good
  std::string folder;   // where model.yaml stands
  std::string weights;  // path of the weights; empty when they are not found
  ModelSpec spec;
  absl::Status status;  // why the model cannot be used, or OK (NotFound: weights missing)
};

class ModelCatalog {
 public:
  // Models in the order of the directories, then by name; of two with one name the first counts. A directory
  // that does not exist is NotFound.
  static absl::StatusOr<ModelCatalog> Scan(const std::vector<std::string>& model_dirs);

  const std::vector<CatalogEntry>& entries() const { return entries_; }
  // By name, or by the path of a model folder (anything with a '/' or that is a folder with a model.yaml).
  // NotFound lists the names there are.
  absl::StatusOr<CatalogEntry> Find(const std::string& name_or_path) const;

 private:
  std::vector<std::string> dirs_;
  std::vector<CatalogEntry> entries_;
};

// The bytes of an entry's weights, checked against the hash of model.yaml (InvalidArgument names both
// hashes).
absl::StatusOr<std::string> ReadWeights(const CatalogEntry& entry);

}  // namespace waystone
