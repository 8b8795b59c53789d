// SPDX-License-Identifier: Apache-2.0
#include "evaluation/classification_metrics.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/relative_path.h"
#include "base/status.h"

namespace waystone {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr int kMaxClass = 1'000'000;

absl::Status LineError(size_t line, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("labels line ", line, ": ", message));
}

// Records of a CSV text one after the other (RFC 4180): fields may be quoted, and then hold commas, line ends
// and doubled quotes. A line ends with LF or CRLF.
class CsvReader {
 public:
  explicit CsvReader(const std::string& text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }
  // Of the record read last; the first is 1.
  size_t line() const { return record_line_; }

  absl::StatusOr<std::vector<std::string>> Next() {
    record_line_ = next_line_;
    std::vector<std::string> fields;
    for (;;) {
      WAYSTONE_ASSIGN_OR_RETURN(std::string field, Field());
      fields.push_back(std::move(field));
      if (at_end()) return fields;
      const char separator = text_[at_++];
      if (separator == ',') continue;
      if (separator == '\r' && !at_end() && text_[at_] == '\n') ++at_;
      ++next_line_;
      return fields;
    }
  }

 private:
  bool EndsField() const { return at_end() || text_[at_] == ',' || text_[at_] == '\n' || StartsLineEnd(); }
  bool StartsLineEnd() const {
    return text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
  }

  absl::StatusOr<std::string> Field() {
    std::string field;
    if (at_end() || text_[at_] != '"') {
      while (!EndsField()) {
        if (text_[at_] == '"')
          return LineError(next_line_, "a quote inside a field that does not begin with one");
        field += text_[at_++];
      }
      return field;
    }
    ++at_;
    for (;;) {
      if (at_end()) return LineError(record_line_, "a quoted field has no end");
      const char c = text_[at_++];
      if (c == '\n') ++next_line_;
      if (c != '"') {
        field += c;
      } else if (!at_end() && text_[at_] == '"') {
        field += text_[at_++];
      } else if (EndsField()) {
        return field;
      } else {
        return LineError(next_line_, "text after the end of a quoted field");
      }
    }
  }

  const std::string& text_;
  size_t at_ = 0;
  size_t next_line_ = 1;
  size_t record_line_ = 1;
};

// Where `name` stands in the header.
absl::StatusOr<size_t> FindColumn(const std::vector<std::string>& header, absl::string_view name) {
  const auto at = std::find(header.begin(), header.end(), name);
  if (at == header.end()) return LineError(1, absl::StrCat("the header has no column \"", name, "\""));
  return static_cast<size_t>(at - header.begin());
}

}  // namespace

absl::StatusOr<std::vector<LabelledImage>> ParseLabelsCsv(const std::string& csv) {
  if (csv.size() > kMaxBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("labels have ", csv.size(), " bytes; the limit is ", kMaxBytes));
  }
  CsvReader reader(csv);
  WAYSTONE_ASSIGN_OR_RETURN(const std::vector<std::string> header, reader.Next());
  WAYSTONE_ASSIGN_OR_RETURN(const size_t file_column, FindColumn(header, "file"));
  WAYSTONE_ASSIGN_OR_RETURN(const size_t class_column, FindColumn(header, "class_index"));
  std::vector<LabelledImage> images;
  while (!reader.at_end()) {
    WAYSTONE_ASSIGN_OR_RETURN(const std::vector<std::string> fields, reader.Next());
    if (fields.size() != header.size()) {
      return LineError(reader.line(), absl::StrCat(fields.size(), " fields; the header has ", header.size()));
    }
    LabelledImage image{fields[file_column], 0};
    if (!StaysInFolder(image.file)) {
      return LineError(reader.line(), "the file must be a relative path without \"..\"");
    }
    if (!absl::SimpleAtoi(fields[class_column], &image.class_id) || image.class_id < 0 ||
        image.class_id > kMaxClass) {
      return LineError(reader.line(), absl::StrCat("class_index must be a number 0 to ", kMaxClass));
    }
    images.push_back(std::move(image));
  }
  return images;
}

ClassificationMetrics EvaluateClasses(const std::vector<LabelledImage>& images,
                                      const std::vector<std::vector<ClassScore>>& predictions) {
  WAYSTONE_CHECK(images.size() == predictions.size(), "one list of classes a picture");
  if (images.empty()) return {};
  size_t first = 0;
  size_t among_five = 0;
  for (size_t i = 0; i < images.size(); ++i) {
    const auto end =
        predictions[i].begin() + static_cast<ptrdiff_t>(std::min<size_t>(predictions[i].size(), 5));
    const auto at = std::find_if(predictions[i].begin(), end, [&](const ClassScore& score) {
      return score.class_id == images[i].class_id;
    });
    if (at == end) continue;
    ++among_five;
    if (at == predictions[i].begin()) ++first;
  }
  const double count = static_cast<double>(images.size());
  return {static_cast<double>(first) / count, static_cast<double>(among_five) / count};
}

}  // namespace waystone
