// SPDX-License-Identifier: Apache-2.0
#include "http/predict_body_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "base/log.h"

namespace waystone {

absl::StatusOr<PredictInput> PredictBodyReader::TakeInput() && {
  if (!has_input_) return absl::InvalidArgumentError("the member \"input\" is missing");
  if (picture_.has_value()) return DecodeBase64Picture(*picture_, limits_.max_picture_bytes);
  return PredictInput(std::move(tensor_).Take());
}

bool PredictBodyReader::string(std::string& value) {
  if (where_ != Where::kInput && where_ != Where::kPicture) return Refuse("a string");
  picture_ = std::move(value);
  where_ = where_ == Where::kInput ? Where::kMembers : Where::kB64;
  return true;
}

bool PredictBodyReader::start_object(size_t) {
  if (!Enter()) return false;
  if (where_ == Where::kBefore) {
    where_ = Where::kMembers;
  } else if (where_ == Where::kInput) {
    where_ = Where::kB64;
  } else {
    return Refuse("an object");
  }
  return true;
}

bool PredictBodyReader::key(std::string& name) {
  const bool outer = where_ == Where::kMembers;
  if (name != (outer ? "input" : "b64")) {
    constexpr size_t kShownBytes = 40;
    return Fail(absl::InvalidArgumentError(absl::StrCat(
        outer ? "the member \"" : "input has the member \"", LogSafe(name.substr(0, kShownBytes)),
        "\", the only one it may have is \"", outer ? "input" : "b64", "\"")));
  }
  if (outer ? std::exchange(has_input_, true) : picture_.has_value()) {
    return Fail(absl::InvalidArgumentError(absl::StrCat("the member \"", name, "\" is there twice")));
  }
  where_ = outer ? Where::kInput : Where::kPicture;
  return true;
}

bool PredictBodyReader::end_object() {
  --depth_;
  if (where_ != Where::kB64) return true;
  if (!picture_.has_value()) return Fail(absl::InvalidArgumentError("input is an object without \"b64\""));
  where_ = Where::kMembers;
  return true;
}

bool PredictBodyReader::start_array(size_t) {
  if (!Enter()) return false;
  if (where_ != Where::kInput && where_ != Where::kTensor) return Refuse("a list");
  where_ = Where::kTensor;
  absl::Status status = tensor_.BeginList();
  return status.ok() || Fail(std::move(status));
}

bool PredictBodyReader::end_array() {
  --depth_;
  absl::Status status = tensor_.EndList();
  if (!status.ok()) return Fail(std::move(status));
  if (!tensor_.is_open()) where_ = Where::kMembers;
  return true;
}

bool PredictBodyReader::parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) {
  return Fail(absl::InvalidArgumentError(absl::StrCat("the body is not valid JSON at byte ", position)));
}

bool PredictBodyReader::Number(double value) {
  if (where_ != Where::kTensor) return Refuse("a number");
  absl::Status status = tensor_.AddNumber(value);
  return status.ok() || Fail(std::move(status));
}

bool PredictBodyReader::Enter() {
  if (++depth_ <= limits_.max_depth) return true;
  return Fail(absl::InvalidArgumentError(
      absl::StrCat("the JSON is nested deeper than the limit of ", limits_.max_depth)));
}

bool PredictBodyReader::Refuse(const char* what) {
  switch (where_) {
    case Where::kInput:
      return Fail(absl::InvalidArgumentError(absl::StrCat(
          "input is ", what, ", it must be a base64 string, {\"b64\": ...} or lists of numbers")));
    case Where::kTensor:
      return Fail(
          absl::InvalidArgumentError(absl::StrCat(tensor_.Place(), " is ", what, ", it must be a number")));
    case Where::kPicture:
      return Fail(
          absl::InvalidArgumentError(absl::StrCat("input.b64 is ", what, ", it must be a base64 string")));
    case Where::kBefore:
    case Where::kMembers:
    case Where::kB64:
      break;
  }
  return Fail(absl::InvalidArgumentError(
      absl::StrCat("the body is ", what, ", it must be an object with \"input\"")));
}

bool PredictBodyReader::Fail(absl::Status status) {
  status_ = std::move(status);
  return false;
}

}  // namespace waystone
