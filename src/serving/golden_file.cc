// SPDX-License-Identifier: Apache-2.0
#include "serving/golden_file.h"

#include <array>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include <nlohmann/json.hpp>

#include "base/relative_path.h"
#include "base/status.h"

namespace waystone {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxTensors = 64;
constexpr size_t kMaxSamples = 100'000;
constexpr size_t kMaxRank = 8;

// Nothing for a member that is absent or of another kind.
const Json* Member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

absl::StatusOr<std::string> Text(const Json& object, const char* key) {
  const Json* value = Member(object, key);
  if (value == nullptr || !value->is_string())
    return absl::InvalidArgumentError(absl::StrCat("\"", key, "\" is no text"));
  return value->get<std::string>();
}

absl::StatusOr<double> Number(const Json& object, const char* key) {
  const Json* value = Member(object, key);
  if (value == nullptr || !value->is_number() || !std::isfinite(value->get<double>())) {
    return absl::InvalidArgumentError(absl::StrCat("\"", key, "\" is no number"));
  }
  return value->get<double>();
}

absl::StatusOr<DataType> Type(const Json& object) {
  static constexpr std::array<std::pair<std::string_view, DataType>, 8> kTypes = {
      {{"float32", DataType::kFloat32},
       {"float16", DataType::kFloat16},
       {"uint8", DataType::kUint8},
       {"int8", DataType::kInt8},
       {"int32", DataType::kInt32},
       {"int64", DataType::kInt64},
       {"float64", DataType::kFloat64},
       {"bool", DataType::kBool}}};
  WAYSTONE_ASSIGN_OR_RETURN(const std::string name, Text(object, "dtype"));
  for (const auto& [known, type] : kTypes) {
    if (known == name) return type;
  }
  return absl::InvalidArgumentError("\"dtype\" is not one that is known");
}

absl::StatusOr<Shape> Dims(const Json& object) {
  const Json* dims = Member(object, "shape");
  if (dims == nullptr || !dims->is_array() || dims->size() > kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat("\"shape\" is no list of up to ", kMaxRank, " numbers"));
  }
  std::vector<int64_t> values;
  for (const Json& dim : *dims) {
    if (!dim.is_number_integer() || dim.get<int64_t>() < 0) {
      return absl::InvalidArgumentError("\"shape\" has something other than numbers from 0 up");
    }
    values.push_back(dim.get<int64_t>());
  }
  const Shape shape(std::move(values));
  if (!shape.ElementCount().has_value()) return absl::InvalidArgumentError("\"shape\" is too large");
  return shape;
}

absl::Status ReadSamples(const Json& json, GoldenOutput& output) {
  const Json* samples = Member(json, "samples");
  if (samples == nullptr || !samples->is_array() || samples->size() > kMaxSamples) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"samples\" is no list of up to ", kMaxSamples, " pairs"));
  }
  const int64_t elements = *output.shape.ElementCount();
  for (const Json& sample : *samples) {
    if (!sample.is_array() || sample.size() != 2 || !sample[0].is_number_integer() ||
        !sample[1].is_number() || sample[0].get<int64_t>() < 0 || sample[0].get<int64_t>() >= elements) {
      return absl::InvalidArgumentError(
          absl::StrCat("a sample of \"", output.name, "\" is no index below ", elements, " with a number"));
    }
    output.samples.emplace_back(sample[0].get<size_t>(), sample[1].get<double>());
  }
  return absl::OkStatus();
}

absl::StatusOr<GoldenOutput> ReadOutput(const Json& json) {
  GoldenOutput output;
  WAYSTONE_ASSIGN_OR_RETURN(output.name, Text(json, "name"));
  WAYSTONE_ASSIGN_OR_RETURN(output.type, Type(json));
  WAYSTONE_ASSIGN_OR_RETURN(output.shape, Dims(json));
  WAYSTONE_ASSIGN_OR_RETURN(output.min, Number(json, "min"));
  WAYSTONE_ASSIGN_OR_RETURN(output.max, Number(json, "max"));
  WAYSTONE_RETURN_IF_ERROR(ReadSamples(json, output));
  return output;
}

absl::StatusOr<GoldenFile> ReadGolden(const Json& json) {
  GoldenFile golden;
  WAYSTONE_ASSIGN_OR_RETURN(golden.model, Text(json, "model"));
  WAYSTONE_ASSIGN_OR_RETURN(golden.picture, Text(json, "input_image"));
  if (!StaysInFolder(golden.picture))
    return absl::InvalidArgumentError("\"input_image\" leads out of the folder");
  const Json* inputs = Member(json, "input_samples");
  if (inputs == nullptr || !inputs->is_object() || inputs->empty() || inputs->size() > kMaxTensors) {
    return absl::InvalidArgumentError("\"input_samples\" names no inputs");
  }
  for (const auto& [name, input] : inputs->items()) {
    GoldenInput described;
    described.name = name;
    WAYSTONE_ASSIGN_OR_RETURN(described.type, Type(input));
    WAYSTONE_ASSIGN_OR_RETURN(described.shape, Dims(input));
    golden.inputs.push_back(std::move(described));
  }
  const Json* outputs = Member(json, "outputs");
  if (outputs == nullptr || !outputs->is_array() || outputs->empty() || outputs->size() > kMaxTensors) {
    return absl::InvalidArgumentError("\"outputs\" is no list of tensors");
  }
  for (const Json& output : *outputs) {
    WAYSTONE_ASSIGN_OR_RETURN(GoldenOutput described, ReadOutput(output));
    golden.outputs.push_back(std::move(described));
  }
  return golden;
}

// True while the text stays flat enough to be built as a tree.
bool IsShallow(std::string_view text) {
  constexpr int kMaxDepth = 32;
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kMaxDepth) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<GoldenFile> ParseGoldenFile(std::string_view json, const std::string& file_name) {
  if (!IsShallow(json)) return absl::InvalidArgumentError(absl::StrCat(file_name, ": nested too deeply"));
  const Json document = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return absl::InvalidArgumentError(absl::StrCat(file_name, ": not JSON"));
  absl::StatusOr<GoldenFile> golden = ReadGolden(document);
  if (!golden.ok()) return Annotate(golden.status(), file_name);
  return golden;
}

}  // namespace waystone
