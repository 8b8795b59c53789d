// SPDX-License-Identifier: Apache-2.0
#include "serving/model_catalog.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "base/file.h"
#include "base/log.h"
#include "base/status.h"
#include "pipeline/model_yaml.h"

namespace waystone {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxWeightBytes = size_t{2} << 30;
constexpr size_t kMaxModels = 10'000;

// Looks for the weights beside the description first, then in same-named folders of the model directories.
std::string FindWeights(const fs::path& folder, const ModelSpec& spec, const std::vector<std::string>& dirs) {
  std::error_code error;
  if (fs::is_regular_file(folder / spec.file, error)) return (folder / spec.file).string();
  for (const std::string& dir : dirs) {
    const fs::path candidate = fs::path(dir) / spec.name / spec.file;
    if (fs::is_regular_file(candidate, error)) return candidate.string();
  }
  return "";
}

CatalogEntry ReadEntry(const fs::path& folder, const std::vector<std::string>& dirs) {
  CatalogEntry entry;
  entry.name = folder.filename().string();
  entry.folder = folder.string();
  absl::StatusOr<ModelSpec> spec = ReadModelFolder(folder.string());
  if (!spec.ok()) {
    entry.status = spec.status();
    return entry;
  }
  if (spec->name != entry.name) {
    entry.status = absl::InvalidArgumentError(absl::StrCat(entry.folder, "/model.yaml: name is '", spec->name,
                                                           "' but the folder is called '", entry.name, "'"));
    return entry;
  }
  entry.spec = *std::move(spec);
  entry.weights = FindWeights(folder, entry.spec, dirs);
  if (entry.weights.empty()) {
    entry.status = absl::NotFoundError(
        absl::StrCat("the weights of ", entry.name, " (", entry.spec.file, ") are not in ", entry.folder,
                     " nor in a folder ", entry.name, " of ", absl::StrJoin(dirs, ", "),
                     entry.spec.fetch.registry.empty()
                         ? absl::StrCat("; they come from: ", entry.spec.source)
                         : absl::StrCat("; get them with: waystone models fetch ", entry.name)));
  }
  return entry;
}

}  // namespace

absl::StatusOr<ModelCatalog> ModelCatalog::Scan(const std::vector<std::string>& model_dirs) {
  ModelCatalog catalog;
  catalog.dirs_ = model_dirs;
  for (const std::string& dir : model_dirs) {
    std::error_code error;
    std::vector<fs::path> folders;
    for (fs::directory_iterator it(dir, fs::directory_options::skip_permission_denied, error), end;
         !error && it != end; it.increment(error)) {
      if (fs::is_regular_file(it->path() / "model.yaml", error)) folders.push_back(it->path());
      error.clear();
      if (folders.size() > kMaxModels) {
        return absl::OutOfRangeError(absl::StrCat(dir, " holds more than ", kMaxModels, " models"));
      }
    }
    if (error) return absl::NotFoundError(absl::StrCat("model directory ", dir, ": ", error.message()));
    std::sort(folders.begin(), folders.end());
    for (const fs::path& folder : folders) {
      const std::string name = folder.filename().string();
      const bool known = std::any_of(catalog.entries_.begin(), catalog.entries_.end(),
                                     [&name](const CatalogEntry& entry) { return entry.name == name; });
      if (!known) catalog.entries_.push_back(ReadEntry(folder, model_dirs));
    }
  }
  return catalog;
}

absl::StatusOr<CatalogEntry> ModelCatalog::Find(const std::string& name_or_path) const {
  for (const CatalogEntry& entry : entries_) {
    if (entry.name == name_or_path) return entry;
  }
  std::error_code error;
  if (fs::is_regular_file(fs::path(name_or_path) / "model.yaml", error)) {
    // lexically_normal of "a/b/" ends in an empty name; absolute() makes "." a real folder name.
    fs::path folder = fs::absolute(name_or_path, error).lexically_normal();
    if (folder.filename().empty()) folder = folder.parent_path();
    return ReadEntry(folder, dirs_);
  }
  std::vector<std::string> names;
  for (const CatalogEntry& entry : entries_) names.push_back(entry.name);
  return absl::NotFoundError(absl::StrCat(
      "no model '", LogSafe(name_or_path), "'; ",
      names.empty() ? absl::StrCat("there are none in ",
                                   dirs_.empty() ? "(no --models directory)" : absl::StrJoin(dirs_, ", "))
                    : absl::StrCat("there are: ", absl::StrJoin(names, ", "))));
}

absl::StatusOr<std::string> ReadWeights(const CatalogEntry& entry) {
  WAYSTONE_RETURN_IF_ERROR(entry.status);
  WAYSTONE_ASSIGN_OR_RETURN(std::string bytes, ReadFile(entry.weights, kMaxWeightBytes));
  if (!entry.spec.sha256.empty()) {
    const std::string found = Sha256Hex(bytes);
    if (found != entry.spec.sha256) {
      return absl::InvalidArgumentError(absl::StrCat("the weights of ", entry.name, " (", entry.weights,
                                                     ") have the SHA-256 ", found, ", model.yaml wants ",
                                                     entry.spec.sha256, "; nothing was loaded"));
    }
  }
  return bytes;
}

}  // namespace waystone
