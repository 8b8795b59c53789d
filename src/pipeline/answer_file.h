// SPDX-License-Identifier: Apache-2.0
//
// A file of answers, one JSON object a line, that a run can take up again: lines are appended and handed to
// the system one by one, and what a killed run left half-written is cut off. Confined to one thread; two runs
// on one file exclude each other.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace waystone {

class AnswerFile {
 public:
  // Opens `path` for a new run, which must not overwrite answers: AlreadyExists when there are some and
  // `resume` is false. With `resume` the sources of the answers that are there are read; InvalidArgument with
  // the line's number when the file holds anything else.
  static absl::StatusOr<std::unique_ptr<AnswerFile>> Open(const std::string& path, bool resume);
  AnswerFile(const AnswerFile&) = delete;
  AnswerFile& operator=(const AnswerFile&) = delete;
  ~AnswerFile();

  // True when the file had an answer for this source, not an error, when it was opened.
  bool Has(const std::string& source) const { return sources_.count(source) > 0; }
  size_t size() const { return sources_.size(); }
  // Adds one line; `json` has no line break in it.
  absl::Status Append(absl::string_view json);

 private:
  AnswerFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  absl::Status ReadSources();

  int descriptor_;
  std::string path_;
  std::unordered_set<std::string> sources_;
};

}  // namespace waystone
