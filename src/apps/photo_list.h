// SPDX-License-Identifier: Apache-2.0
//
// What "waystone predict" was asked to look at: files, folders, or "-" for standard input. Thread-safe (no
// state).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace waystone {

// A folder stands for the pictures in it (by content, not by name; hidden files and subfolders are left out),
// in the order of their names. A named file stays as it is, so that what is wrong with it is told later.
// NotFound for a path that does not exist, InvalidArgument when "-" comes twice.
absl::StatusOr<std::vector<std::string>> ListPhotos(const std::vector<std::string>& arguments);

// The file an annotated copy of `source` is written to: FOLDER/STEM.EXTENSION, with "-2", "-3", ... where an
// earlier source of `taken` (which it adds to) has that name already.
std::string AnnotatedName(const std::string& folder, const std::string& source, const std::string& extension,
                          std::set<std::string>& taken);

}  // namespace waystone
