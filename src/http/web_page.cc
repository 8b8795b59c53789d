// SPDX-License-Identifier: Apache-2.0
#include "http/web_page.h"

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

#include "base/check.h"
#include "base/file.h"
#include "base/status.h"

namespace waystone {
namespace {

constexpr char kIndex[] = "index.html";
constexpr char kHashedFolder[] = "/assets/";

// Nothing from elsewhere, nothing inline, no frames around it, and text never becomes markup.
constexpr char kPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

std::string ContentTypeOf(const std::filesystem::path& path) {
  struct Type {
    absl::string_view extension;
    absl::string_view type;
  };
  static constexpr std::array kTypes = {
      Type{".html", "text/html; charset=utf-8"},
      Type{".js", "text/javascript; charset=utf-8"},
      Type{".css", "text/css; charset=utf-8"},
      Type{".svg", "image/svg+xml"},
      Type{".png", "image/png"},
      Type{".jpg", "image/jpeg"},
      Type{".webp", "image/webp"},
      Type{".ico", "image/x-icon"},
      Type{".json", "application/json"},
      Type{".webmanifest", "application/manifest+json"},
      Type{".txt", "text/plain; charset=utf-8"},
      Type{".wasm", "application/wasm"},
  };
  const std::string extension = absl::AsciiStrToLower(path.extension().string());
  for (const Type& known : kTypes) {
    if (known.extension == extension) return std::string(known.type);
  }
  return "application/octet-stream";
}

// RFC 9110 section 13.1.2: a list of tags, compared weakly, or "*".
bool Matches(absl::string_view if_none_match, absl::string_view etag) {
  for (absl::string_view tag : absl::StrSplit(if_none_match, ',')) {
    tag = absl::StripAsciiWhitespace(tag);
    if (tag == "*") return true;
    absl::ConsumePrefix(&tag, "W/");
    if (tag == etag) return true;
  }
  return false;
}

absl::Status FolderError(const std::string& folder, const std::error_code& error) {
  const std::string text = absl::StrCat("reading the folder ", folder, ": ", error.message());
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory
             ? absl::NotFoundError(text)
             : absl::UnknownError(text);
}

// The paths of the files below `folder`.
absl::StatusOr<std::vector<std::filesystem::path>> ListFiles(const std::string& folder, size_t max_files) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::end(entry); entry.increment(error)) {
    const std::filesystem::file_status status = entry->symlink_status(error);
    if (error) break;
    const bool is_folder = std::filesystem::is_directory(status);
    if (absl::StartsWith(entry->path().filename().string(), ".")) {
      if (is_folder) entry.disable_recursion_pending();
    } else if (std::filesystem::is_regular_file(status)) {
      if (found.size() == max_files) {
        return absl::OutOfRangeError(absl::StrCat(folder, " holds more than ", max_files, " files"));
      }
      found.push_back(entry->path());
    } else if (!is_folder) {
      return absl::InvalidArgumentError(
          absl::StrCat(entry->path().string(), " is neither a file nor a folder"));
    }
  }
  if (error) return FolderError(folder, error);
  return found;
}

}  // namespace

absl::StatusOr<WebPage> WebPage::Load(const std::string& folder, const WebPageLimits& limits) {
  WAYSTONE_ASSIGN_OR_RETURN(const std::vector<std::filesystem::path> paths,
                            ListFiles(folder, limits.max_files));
  WebPage page;
  size_t bytes_left = limits.max_bytes;
  for (const std::filesystem::path& path : paths) {
    absl::StatusOr<std::string> content = ReadFile(path.string(), bytes_left);
    if (absl::IsOutOfRange(content.status())) {
      return absl::OutOfRangeError(
          absl::StrCat("the files of ", folder, " have more than ", limits.max_bytes, " bytes in all"));
    }
    if (!content.ok()) return content.status();
    bytes_left -= content->size();
    const std::string relative = path.lexically_relative(folder).generic_string();
    std::string at = relative == kIndex ? "/" : absl::StrCat("/", relative);
    const bool immutable = absl::StartsWith(at, kHashedFolder);
    std::string etag = absl::StrCat("\"", Sha256Hex(*content).substr(0, 32), "\"");
    page.files_.emplace(std::move(at),
                        File{*std::move(content), ContentTypeOf(path), std::move(etag), immutable});
  }
  if (page.files_.count("/") == 0) {
    return absl::NotFoundError(absl::StrCat(folder, " has no ", kIndex));
  }
  return page;
}

std::vector<std::string> WebPage::paths() const {
  std::vector<std::string> all;
  for (const auto& [path, file] : files_) all.push_back(path);
  return all;
}

HttpResponse WebPage::Answer(const HttpRequest& request) const {
  const auto found = files_.find(request.path);
  WAYSTONE_CHECK(found != files_.end(), "only paths of the page are routed here");
  const File& file = found->second;
  HttpResponse response;
  response.content_type = file.content_type;
  response.headers = {
      {"ETag", file.etag},
      {"Cache-Control", file.immutable ? "public, max-age=31536000, immutable" : "no-cache"},
      {"Content-Security-Policy", kPolicy},
      {"Permissions-Policy", "camera=(self), microphone=(), geolocation=()"},
      {"Referrer-Policy", "no-referrer"},
  };
  if (Matches(request.header("if-none-match"), file.etag)) {
    response.status = 304;
  } else {
    response.body = file.content;
  }
  return response;
}

}  // namespace waystone
