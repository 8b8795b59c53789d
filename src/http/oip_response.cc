// SPDX-License-Identifier: Apache-2.0
#include "http/oip_response.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "base/status.h"
#include "http/json_tensor.h"

namespace waystone {
namespace {

void AppendMember(absl::string_view key, absl::string_view text, std::string& json) {
  absl::StrAppend(&json, "\"", key, "\":");
  AppendJsonString(text, json);
}

}  // namespace

absl::StatusOr<HttpResponse> WriteOipResponse(const InferResponse& response,
                                              const std::vector<bool>& binary) {
  std::string json = "{";
  AppendMember("model_name", response.model, json);
  json.push_back(',');
  AppendMember("model_version", response.version, json);
  if (!response.id.empty()) {
    json.push_back(',');
    AppendMember("id", response.id, json);
  }
  json += ",\"outputs\":[";
  size_t binary_bytes = 0;
  for (size_t i = 0; i < response.outputs.size(); ++i) {
    const InferTensor& output = response.outputs[i];
    json += i > 0 ? ",{" : "{";
    AppendMember("name", output.name, json);
    absl::StrAppend(&json, ",\"datatype\":\"", output.type ? Name(*output.type) : "BYTES", "\",\"shape\":[",
                    absl::StrJoin(output.shape.dims(), ","), "],");
    if (binary[i]) {
      absl::StrAppend(&json, "\"parameters\":{\"binary_data_size\":", output.data.size(), "}");
      binary_bytes += output.data.size();
    } else {
      json += "\"data\":";
      WAYSTONE_RETURN_IF_ERROR(AppendJsonTensor(output.name, output.data, output.type, json));
    }
    json.push_back('}');
  }
  json += "]}";
  HttpResponse answer;
  if (binary_bytes > 0) {
    answer.content_type = "application/octet-stream";
    answer.headers.emplace_back("Inference-Header-Content-Length", absl::StrCat(json.size()));
    json.reserve(json.size() + binary_bytes);
    for (size_t i = 0; i < response.outputs.size(); ++i) {
      const InferTensor& output = response.outputs[i];
      if (binary[i]) json.append(reinterpret_cast<const char*>(output.data.data()), output.data.size());
    }
  }
  answer.body = std::move(json);
  return answer;
}

}  // namespace waystone
