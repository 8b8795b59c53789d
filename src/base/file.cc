// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include <openssl/evp.h>
#include <sys/stat.h>

#include "base/check.h"

namespace waystone {
namespace {

// A file descriptor closed at the end of its scope.
class ScopedFd {
 public:
  explicit ScopedFd(int fd) : fd_(fd) {}
  ~ScopedFd() {
    if (fd_ >= 0) ::close(fd_);
  }
  ScopedFd(const ScopedFd&) = delete;
  ScopedFd& operator=(const ScopedFd&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

absl::Status ErrnoError(int error, absl::string_view attempted) {
  const std::string text = absl::StrCat(attempted, ": ", std::generic_category().message(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(text);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(text);
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
      return absl::ResourceExhaustedError(text);
    default:
      return absl::UnknownError(text);
  }
}

// Reads to the end of `fd`. `expected` is a hint; a file may grow while it is read, so the limit is checked
// again.
absl::StatusOr<std::string> ReadToEnd(int fd, size_t expected, size_t max_bytes, absl::string_view name) {
  constexpr size_t kStep = 64 * 1024;
  std::string content;
  content.reserve(expected);
  size_t length = 0;
  while (true) {
    content.resize(length + (length < expected ? expected - length : kStep));
    const ssize_t got = ::read(fd, content.data() + length, content.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoError(errno, absl::StrCat("reading ", name));
    if (got == 0) break;
    length += static_cast<size_t>(got);
    if (length > max_bytes) {
      return absl::OutOfRangeError(absl::StrCat(name, " is longer than the limit of ", max_bytes, " bytes"));
    }
  }
  content.resize(length);
  return content;
}

absl::Status WriteAll(int fd, absl::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoError(errno, absl::StrCat("writing ", path));
    content.remove_prefix(static_cast<size_t>(written));
  }
  if (::fsync(fd) != 0) return ErrnoError(errno, absl::StrCat("flushing ", path));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer; it has no effect on regular files.
  ScopedFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return ErrnoError(errno, absl::StrCat("opening ", path));
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return ErrnoError(errno, absl::StrCat("reading ", path));
  if (!S_ISREG(info.st_mode)) return absl::InvalidArgumentError(absl::StrCat(path, " is not a regular file"));
  if (static_cast<uint64_t>(info.st_size) > max_bytes) {
    return absl::OutOfRangeError(
        absl::StrCat(path, " has ", info.st_size, " bytes, more than the limit of ", max_bytes));
  }
  return ReadToEnd(fd.get(), static_cast<size_t>(info.st_size), max_bytes, path);
}

absl::StatusOr<std::string> ReadStandardInput(size_t max_bytes) {
  return ReadToEnd(STDIN_FILENO, 0, max_bytes, "standard input");
}

absl::Status WriteFileAtomically(const std::string& path, absl::string_view content) {
  std::string temporary = absl::StrCat(path, ".XXXXXX");
  ScopedFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (fd.get() < 0) return ErrnoError(errno, absl::StrCat("creating ", path));
  absl::Status status = WriteAll(fd.get(), content, path);
  if (status.ok() && ::fchmod(fd.get(), 0644) != 0)
    status = ErrnoError(errno, absl::StrCat("writing ", path));
  if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0) {
    status = ErrnoError(errno, absl::StrCat("writing ", path));
  }
  if (!status.ok()) ::unlink(temporary.c_str());
  return status;
}

std::string Sha256Hex(absl::string_view content) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  const int ok = EVP_Digest(content.data(), content.size(), digest, &length, EVP_sha256(), nullptr);
  WAYSTONE_CHECK(ok == 1 && length == 32, "libcrypto has no SHA-256");
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), length));
}

}  // namespace waystone
