// SPDX-License-Identifier: Apache-2.0
#include "apps/photo_list.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace waystone {
namespace {

namespace fs = std::filesystem;

bool LooksLikePicture(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  char head[12] = {};
  stream.read(head, sizeof(head));
  const absl::string_view bytes(head, static_cast<size_t>(stream.gcount()));
  return absl::StartsWith(bytes, "\xff\xd8\xff") || absl::StartsWith(bytes, "\x89PNG") ||
         (absl::StartsWith(bytes, "RIFF") && bytes.size() == 12 && bytes.substr(8) == "WEBP");
}

absl::Status AppendFolder(const std::string& folder, std::vector<std::string>& photos) {
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (absl::StartsWith(it->path().filename().string(), ".") || !it->is_regular_file(ignored)) continue;
    if (LooksLikePicture(it->path())) found.push_back(it->path().string());
  }
  if (error) return absl::NotFoundError(absl::StrCat("reading folder ", folder, ": ", error.message()));
  if (found.empty())
    return absl::NotFoundError(absl::StrCat("there is no JPEG, PNG or WebP picture in ", folder));
  std::sort(found.begin(), found.end());
  photos.insert(photos.end(), found.begin(), found.end());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ListPhotos(const std::vector<std::string>& arguments) {
  if (std::count(arguments.begin(), arguments.end(), "-") > 1) {
    return absl::InvalidArgumentError("standard input (-) can be read only once");
  }
  std::vector<std::string> photos;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (argument != "-" && !fs::exists(argument, error)) {
      return absl::NotFoundError(absl::StrCat("no such file or folder: ", argument));
    }
    if (argument != "-" && fs::is_directory(argument, error)) {
      if (absl::Status status = AppendFolder(argument, photos); !status.ok()) return status;
    } else {
      photos.push_back(argument);
    }
  }
  return photos;
}

std::string AnnotatedName(const std::string& folder, const std::string& source, const std::string& extension,
                          std::set<std::string>& taken) {
  const std::string stem = source == "-" ? "stdin" : fs::path(source).stem().string();
  std::string name = absl::StrCat(folder, "/", stem, ".", extension);
  for (int copy = 2; !taken.insert(name).second; ++copy) {
    name = absl::StrCat(folder, "/", stem, "-", copy, ".", extension);
  }
  return name;
}

}  // namespace waystone
