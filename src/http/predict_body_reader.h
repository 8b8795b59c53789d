// SPDX-License-Identifier: Apache-2.0
//
// The listener of nlohmann's SAX parser behind ParsePredictBody: follows where in the document an event is
// and keeps only what is wanted of it. A callback that returns false ends the parse; status() then says why.
// Thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

#include "http/nested_tensor_builder.h"
#include "http/predict_body.h"

namespace waystone {

class PredictBodyReader {
 public:
  explicit PredictBodyReader(const PredictBodyLimits& limits)
      : limits_(limits), tensor_(limits.max_elements) {}

  const absl::Status& status() const { return status_; }
  // After a parse that went through.
  absl::StatusOr<PredictInput> TakeInput() &&;

  // The interface that nlohmann::json::sax_parse calls.
  bool null() { return Refuse("null"); }
  bool boolean(bool) { return Refuse("a boolean"); }
  bool number_integer(int64_t value) { return Number(static_cast<double>(value)); }
  bool number_unsigned(uint64_t value) { return Number(static_cast<double>(value)); }
  bool number_float(double value, const std::string&) { return Number(value); }
  bool string(std::string& value);
  bool binary(nlohmann::json::binary_t&) { return Refuse("binary"); }
  bool start_object(size_t);
  bool key(std::string& name);
  bool end_object();
  bool start_array(size_t);
  bool end_array();
  bool parse_error(size_t position, const std::string& last_token, const nlohmann::detail::exception& error);

 private:
  enum class Where {
    kBefore,   // of the document
    kMembers,  // in the outer object, a name comes next
    kInput,    // the value of "input" comes next
    kTensor,   // in its lists
    kB64,      // in its object, a name comes next
    kPicture,  // the value of "b64" comes next
  };

  bool Number(double value);
  bool Enter();
  bool Refuse(const char* what);
  bool Fail(absl::Status status);

  const PredictBodyLimits limits_;
  absl::Status status_;
  Where where_ = Where::kBefore;
  size_t depth_ = 0;
  bool has_input_ = false;
  std::optional<std::string> picture_;
  NestedTensorBuilder tensor_;
};

}  // namespace waystone
