// SPDX-License-Identifier: Apache-2.0
#include "http/oip_json.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include <nlohmann/json.hpp>

#include "base/checked_math.h"
#include "base/log.h"
#include "base/status.h"
#include "http/json_response.h"

namespace waystone {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxControlBytes = 64 * 1024;
constexpr size_t kMaxLoadBytes = size_t{64} << 20;  // files come in base64

std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json DurationJson(const DurationStatistic& statistic) {
  return {{"count", statistic.count}, {"ns", statistic.ns}};
}

Json Tensors(const std::vector<TensorMetadata>& tensors) {
  Json list = Json::array();
  for (const TensorMetadata& tensor : tensors) {
    list.push_back({{"name", tensor.name}, {"datatype", tensor.datatype}, {"shape", tensor.shape}});
  }
  return list;
}

// An object, empty where the body is.
absl::StatusOr<Json> ReadObject(const std::string& body, size_t max_bytes) {
  if (body.size() > max_bytes) {
    return absl::OutOfRangeError(
        absl::StrCat("the body has ", body.size(), " bytes, more than the limit of ", max_bytes));
  }
  if (body.empty()) return Json::object();
  // Depth is bounded by hand: the library's parser is not recursive, but what walks its result is.
  Json json = Json::parse(body, [](int depth, Json::parse_event_t, Json&) { return depth < 16; }, false);
  if (!json.is_object()) return absl::InvalidArgumentError("the body must be a JSON object");
  return json;
}

absl::StatusOr<uint64_t> ReadSize(const Json& json, const char* key, uint64_t otherwise, bool needed) {
  const auto found = json.find(key);
  if (found == json.end() && !needed) return otherwise;
  if (found == json.end() || !found->is_number_unsigned()) {
    return absl::InvalidArgumentError(absl::StrCat("'", key, "' must be a whole number from 0"));
  }
  return found->get<uint64_t>();
}

absl::StatusOr<RepositoryParameter> ReadParameter(const std::string& name, const Json& value) {
  if (absl::StartsWith(name, "file:")) {
    RepositoryBytes file;
    if (!value.is_string() || !absl::Base64Unescape(value.get_ref<const std::string&>(), &file.bytes)) {
      return absl::InvalidArgumentError(absl::StrCat("parameter '", LogSafe(name), "' must be base64 text"));
    }
    return RepositoryParameter(std::move(file));
  }
  if (value.is_boolean()) return RepositoryParameter(value.get<bool>());
  if (value.is_number_integer()) return RepositoryParameter(value.get<int64_t>());
  if (value.is_string()) return RepositoryParameter(value.get<std::string>());
  return absl::InvalidArgumentError(
      absl::StrCat("parameter '", LogSafe(name), "' must be a bool, a whole number or text"));
}

HttpResponse ByMethod(const HttpRequest& request,
                      const std::function<HttpResponse(const Json& changes)>& answer) {
  if (request.method == "GET") return answer(Json::object());
  if (request.method != "POST") {
    HttpResponse response = ErrorResponse(405, "this path takes GET and POST");
    response.headers.emplace_back("Allow", "GET, POST");
    return response;
  }
  const absl::StatusOr<Json> changes = ReadObject(request.body, kMaxControlBytes);
  return changes.ok() ? answer(*changes) : StatusResponse(changes.status(), 501);
}

}  // namespace

std::string ServerJson(const ServerMetadata& metadata) {
  return Dump({{"name", metadata.name}, {"version", metadata.version}, {"extensions", metadata.extensions}});
}

std::string ModelJson(const ModelMetadata& metadata) {
  return Dump({{"name", metadata.name},
               {"versions", metadata.versions},
               {"platform", metadata.platform},
               {"inputs", Tensors(metadata.inputs)},
               {"outputs", Tensors(metadata.outputs)}});
}

std::string StatisticsJson(const std::vector<ModelStatistics>& statistics) {
  Json list = Json::array();
  for (const ModelStatistics& model : statistics) {
    Json batches = Json::array();
    for (const BatchStatistics& batch : model.batches) {
      batches.push_back({{"batch_size", batch.batch_size},
                         {"compute_input", DurationJson(batch.compute_input)},
                         {"compute_infer", DurationJson(batch.compute_infer)},
                         {"compute_output", DurationJson(batch.compute_output)}});
    }
    Json memory = Json::array();
    if (model.memory_bytes > 0)
      memory.push_back({{"type", "CPU"}, {"id", 0}, {"byte_size", model.memory_bytes}});
    list.push_back({{"name", model.name},
                    {"version", model.version},
                    {"last_inference", model.last_inference_ms},
                    {"inference_count", model.inference_count},
                    {"execution_count", model.execution_count},
                    {"inference_stats",
                     {{"success", DurationJson(model.success)},
                      {"fail", DurationJson(model.fail)},
                      {"queue", DurationJson(model.queue)},
                      {"compute_input", DurationJson(model.compute_input)},
                      {"compute_infer", DurationJson(model.compute_infer)},
                      {"compute_output", DurationJson(model.compute_output)},
                      {"cache_hit", DurationJson(model.cache_hit)},
                      {"cache_miss", DurationJson(model.cache_miss)}}},
                    {"response_stats", Json::object()},
                    {"batch_stats", std::move(batches)},
                    {"memory_usage", std::move(memory)}});
  }
  return Dump({{"model_stats", std::move(list)}});
}

std::string IndexJson(const std::vector<ModelIndexEntry>& entries) {
  Json list = Json::array();
  for (const ModelIndexEntry& entry : entries) {
    Json json = {{"name", entry.name}};
    if (!entry.version.empty()) {
      json["version"] = entry.version;
      json["state"] = Name(entry.state);
    }
    if (!entry.reason.empty()) json["reason"] = entry.reason;
    list.push_back(std::move(json));
  }
  return Dump(list);
}

std::string SharedMemoryJson(const std::vector<SharedMemoryRegion>& regions) {
  Json list = Json::array();
  for (const SharedMemoryRegion& region : regions) {
    list.push_back({{"name", region.name},
                    {"key", region.key},
                    {"offset", region.offset},
                    {"byte_size", region.byte_size}});
  }
  return Dump(list);
}

absl::StatusOr<bool> ReadReadyOnly(const std::string& body) {
  WAYSTONE_ASSIGN_OR_RETURN(const Json json, ReadObject(body, kMaxControlBytes));
  const auto ready = json.find("ready");
  if (ready == json.end()) return false;
  if (!ready->is_boolean()) return absl::InvalidArgumentError("'ready' must be true or false");
  return ready->get<bool>();
}

absl::StatusOr<RepositoryParameters> ReadRepositoryParameters(const std::string& body, bool load) {
  WAYSTONE_ASSIGN_OR_RETURN(const Json json, ReadObject(body, load ? kMaxLoadBytes : kMaxControlBytes));
  RepositoryParameters parameters;
  const auto given = json.find("parameters");
  if (given == json.end()) return parameters;
  if (!given->is_object()) return absl::InvalidArgumentError("'parameters' must be an object");
  for (const auto& [name, value] : given->items()) {
    const bool known = load ? name == "config" || (absl::StartsWith(name, "file:") && name.size() <= 128)
                            : name == "unload_dependents";
    if (!known) {
      return absl::InvalidArgumentError(absl::StrCat("unknown parameter '", LogSafe(name.substr(0, 64)),
                                                     "' of ", load ? "a load" : "an unload"));
    }
    if (!load && !value.is_boolean()) {
      return absl::InvalidArgumentError("parameter 'unload_dependents' must be true or false");
    }
    WAYSTONE_ASSIGN_OR_RETURN(RepositoryParameter parameter, ReadParameter(name, value));
    parameters.emplace(name, std::move(parameter));
  }
  return parameters;
}

absl::StatusOr<SharedMemoryRegion> ReadSharedMemoryRegion(const std::string& name, const std::string& body) {
  WAYSTONE_ASSIGN_OR_RETURN(const Json json, ReadObject(body, kMaxControlBytes));
  SharedMemoryRegion region;
  region.name = name;
  const auto key = json.find("key");
  if (key == json.end() || !key->is_string()) return absl::InvalidArgumentError("'key' must be text");
  region.key = key->get<std::string>();
  WAYSTONE_ASSIGN_OR_RETURN(region.offset, ReadSize(json, "offset", 0, false));
  WAYSTONE_ASSIGN_OR_RETURN(region.byte_size, ReadSize(json, "byte_size", 0, true));
  return region;
}

HttpResponse AnswerLogging(InferenceService& service, const HttpRequest& request) {
  return ByMethod(request, [&service](const Json& given) {
    LogSettings changes;
    for (const auto& [name, value] : given.items()) {
      if (value.is_boolean()) {
        changes[name] = value.get<bool>();
      } else if (value.is_number_unsigned() && value.get<uint64_t>() <= UINT32_MAX) {
        changes[name] = value.get<uint32_t>();
      } else if (value.is_string()) {
        changes[name] = value.get<std::string>();
      } else {
        return ErrorResponse(
            400, absl::StrCat("log setting '", LogSafe(name), "' must be a bool, a whole number or text"));
      }
    }
    const absl::StatusOr<LogSettings> settings = service.SetLogging(changes);
    if (!settings.ok()) return StatusResponse(settings.status(), 501);
    Json json = Json::object();
    for (const auto& [name, value] : *settings) {
      std::visit([&json, &key = name](const auto& setting) { json[key] = setting; }, value);
    }
    return JsonResponse(200, Dump(json));
  });
}

HttpResponse AnswerTracing(InferenceService& service, const std::string& model, const HttpRequest& request) {
  return ByMethod(request, [&](const Json& given) {
    TraceChanges changes;
    for (const auto& [name, value] : given.items()) {
      std::optional<std::vector<std::string>>& change = changes[name];
      if (value.is_null()) continue;
      change.emplace();
      for (const Json& text : value.is_array() ? value : Json::array({value})) {
        if (!text.is_string()) {
          return ErrorResponse(400, absl::StrCat("trace setting '", LogSafe(name), "' must be text"));
        }
        change->push_back(text.get<std::string>());
      }
    }
    const absl::StatusOr<TraceSettings> settings = service.SetTracing(model, changes);
    if (!settings.ok()) return StatusResponse(settings.status(), 501);
    Json json = Json::object();
    for (const auto& [name, values] : *settings) {
      const bool list = name == "trace_level" || values.size() != 1;
      json[name] = list ? Json(values) : Json(values.front());
    }
    return JsonResponse(200, Dump(json));
  });
}

absl::StatusOr<OipRequest> RawOipRequest(const ModelMetadata& metadata, std::string body) {
  if (metadata.inputs.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("a body without JSON is for models with one input; ",
                                                   metadata.name, " has ", metadata.inputs.size()));
  }
  const TensorMetadata& input = metadata.inputs.front();
  const std::optional<DataType> type = DataTypeFromName(input.datatype);
  if (!type) {
    return absl::InvalidArgumentError(
        absl::StrCat("input '", input.name, "' is ", input.datatype, ", which cannot be sent without JSON"));
  }
  // The batch is one row; one more open dimension follows from the number of bytes.
  std::vector<int64_t> shape = input.shape;
  std::vector<int64_t>::iterator open = shape.end();
  uint64_t bytes = ByteSize(*type);
  for (auto dim = shape.begin(); dim != shape.end(); ++dim) {
    if (*dim == kDynamicDim && dim == shape.begin()) *dim = 1;
    if (*dim == kDynamicDim) {
      if (open != shape.end()) {
        return absl::InvalidArgumentError(
            absl::StrCat("input '", input.name, "' has more than one open dimension; send it with JSON"));
      }
      open = dim;
      continue;
    }
    bytes = CheckedMultiply<uint64_t>(bytes, static_cast<uint64_t>(*dim)).value_or(0);
  }
  if (open != shape.end()) {
    if (bytes == 0 || body.size() % bytes != 0) {
      return absl::InvalidArgumentError(absl::StrCat("the ", body.size(),
                                                     " bytes of the body do not fill input '", input.name,
                                                     "', of which a step takes ", bytes));
    }
    *open = static_cast<int64_t>(body.size() / bytes);
  }
  OipRequest request;
  request.binary_by_default = true;
  auto memory = std::make_shared<const std::string>(std::move(body));
  const std::span<const char> data(*memory);
  request.infer.inputs.push_back({input.name, type, Shape(std::move(shape)), std::as_bytes(data), {}});
  request.infer.memory = std::move(memory);
  return request;
}

}  // namespace waystone
