// SPDX-License-Identifier: Apache-2.0
#include "pipeline/answer_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "absl/strings/str_cat.h"
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/status.h"

namespace waystone {
namespace {

constexpr size_t kMaxLineBytes = size_t{256} << 20;

absl::Status SystemError(absl::string_view what, const std::string& path) {
  const int error = errno;
  const std::string text = absl::StrCat(what, " ", path, ": ", std::strerror(error));
  if (error == ENOENT) return absl::NotFoundError(text);
  if (error == EACCES || error == EPERM || error == EROFS) return absl::PermissionDeniedError(text);
  if (error == ENOSPC || error == EDQUOT) return absl::ResourceExhaustedError(text);
  return absl::UnavailableError(text);
}

// The source of a line: nothing for an answer that is an error, which is tried again.
absl::StatusOr<std::string> SourceOf(absl::string_view line) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  const bool named = json.is_object() && json.contains("source") && json["source"].is_string();
  if (!named) return absl::InvalidArgumentError("is no answer of predict");
  return json.contains("error") ? std::string() : json["source"].get<std::string>();
}

// Reads a file line by line; lines of any length up to the limit.
class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}

  // False at the end of the file. A last line without its end is left for `rest`.
  absl::StatusOr<bool> Next(std::string& line, const std::string& path) {
    size_t end;
    while ((end = buffer_.find('\n', at_)) == std::string::npos) {
      buffer_.erase(0, at_);
      at_ = 0;
      if (buffer_.size() > kMaxLineBytes)
        return absl::OutOfRangeError(absl::StrCat(path, " has a line beyond 256 MiB"));
      char chunk[65536];
      const ssize_t count = ::read(descriptor_, chunk, sizeof(chunk));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return SystemError("reading", path);
      if (count == 0) return false;
      buffer_.append(chunk, static_cast<size_t>(count));
    }
    line = buffer_.substr(at_, end - at_);
    at_ = end + 1;
    return true;
  }
  size_t rest() const { return buffer_.size() - at_; }

 private:
  const int descriptor_;
  std::string buffer_;
  size_t at_ = 0;
};

}  // namespace

AnswerFile::~AnswerFile() { ::close(descriptor_); }

absl::StatusOr<std::unique_ptr<AnswerFile>> AnswerFile::Open(const std::string& path, bool resume) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) return SystemError("opening", path);
  std::unique_ptr<AnswerFile> file(new AnswerFile(descriptor, path));
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    return absl::UnavailableError(absl::StrCat(path, " is being written by another run"));
  }
  struct stat info = {};
  if (::fstat(descriptor, &info) != 0) return SystemError("looking at", path);
  if (info.st_size > 0 && !resume) {
    return absl::AlreadyExistsError(
        absl::StrCat(path, " has answers already; go on with --resume, or name another file"));
  }
  if (info.st_size > 0) WAYSTONE_RETURN_IF_ERROR(file->ReadSources());
  return file;
}

absl::Status AnswerFile::ReadSources() {
  LineReader reader(descriptor_);
  std::string line;
  off_t whole = 0;
  for (int number = 1;; ++number) {
    WAYSTONE_ASSIGN_OR_RETURN(const bool more, reader.Next(line, path_));
    if (!more) break;
    absl::StatusOr<std::string> source = SourceOf(line);
    if (!source.ok()) return Annotate(source.status(), absl::StrCat(path_, ":", number));
    if (!source->empty()) sources_.insert(*std::move(source));
    whole += static_cast<off_t>(line.size() + 1);
  }
  // What a run that was killed wrote of its last line.
  if (reader.rest() > 0 && ::ftruncate(descriptor_, whole) != 0) return SystemError("cutting", path_);
  return absl::OkStatus();
}

absl::Status AnswerFile::Append(absl::string_view json) {
  const std::string line = absl::StrCat(json, "\n");
  size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = ::write(descriptor_, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("writing", path_);
    written += static_cast<size_t>(count);
  }
  return absl::OkStatus();
}

}  // namespace waystone
