// SPDX-License-Identifier: Apache-2.0
#include "http/oip_api.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/status.h"
#include "http/json_response.h"
#include "http/oip_json.h"
#include "http/oip_response.h"
#include "http/proto_json.h"
#include "http/request_headers.h"
#include "proto/model_config.pb.h"

namespace waystone {
namespace {

HttpResponse NotFound() { return ErrorResponse(404, "no such path; see docs/open-inference-protocol.md"); }

HttpResponse WrongMethod(const char* allowed) {
  HttpResponse response = ErrorResponse(405, absl::StrCat("this path takes ", allowed));
  response.headers.emplace_back("Allow", allowed);
  return response;
}

// Of a health route: the status alone speaks.
HttpResponse Health(bool good) {
  HttpResponse response;
  response.status = good ? 200 : 400;
  return response;
}

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Puts an answer into the coding that the client asked for.
HttpResponse Encoded(HttpResponse response, ContentCoding coding) {
  constexpr size_t kWorthIt = 256;  // bytes
  if (coding == ContentCoding::kIdentity || response.body.size() < kWorthIt) return response;
  response.body = Deflate(response.body, coding);
  response.headers.emplace_back("Content-Encoding", std::string(Name(coding)));
  response.headers.emplace_back("Vary", "Accept-Encoding");
  return response;
}

}  // namespace

bool OipApi::Serves(std::string_view path) { return path == "/v2" || path.substr(0, 4) == "/v2/"; }

void OipApi::Handle(HttpRequest request, HttpResponder respond) const {
  const std::string path = request.path;  // the segments point into it
  const std::vector<absl::string_view> split = absl::StrSplit(absl::string_view(path).substr(1), '/');
  Segments segments;
  for (const absl::string_view segment : split) segments.emplace_back(segment.data(), segment.size());
  segments.erase(segments.begin());
  const bool get = request.method == "GET" || request.method == "HEAD";
  const std::string_view head = segments.empty() ? std::string_view() : segments.front();
  const Segments rest(segments.begin() + (segments.empty() ? 0 : 1), segments.end());
  if (segments.empty()) {
    respond(get ? AnswerServer() : WrongMethod("GET"));
  } else if (head == "health") {
    respond(get ? AnswerHealth(rest) : WrongMethod("GET"));
  } else if (head == "models" && !rest.empty() && !rest.front().empty()) {
    HandleModel(rest, std::move(request), std::move(respond));
  } else if (head == "repository") {
    HandleRepository(rest, request, std::move(respond));
  } else if (head == "systemsharedmemory") {
    respond(AnswerSharedMemory(rest, request));
  } else if (head == "cudasharedmemory") {
    respond(ErrorResponse(501, "CUDA shared memory is not served"));
  } else if (head == "logging" && rest.empty()) {
    respond(AnswerLogging(service_, request));
  } else if (head == "trace" && rest == Segments{"setting"}) {
    respond(AnswerTracing(service_, "", request));
  } else {
    respond(NotFound());
  }
}

HttpResponse OipApi::AnswerServer() const { return JsonResponse(200, ServerJson(service_.metadata())); }

HttpResponse OipApi::AnswerHealth(const Segments& rest) const {
  if (rest == Segments{"live"}) return Health(service_.live());
  if (rest == Segments{"ready"}) return Health(service_.ready());
  return NotFound();
}

void OipApi::HandleModel(const Segments& rest, HttpRequest request, HttpResponder respond) const {
  // models/stats comes before any model of that name.
  if (rest == Segments{"stats"}) {
    respond(request.method == "GET" ? AnswerModel("", "", "stats") : WrongMethod("GET"));
    return;
  }
  const std::string model(rest.front());
  Segments tail(rest.begin() + 1, rest.end());
  std::string version;
  if (tail.size() >= 2 && tail[0] == "versions" && IsNumber(tail[1])) {
    version = std::string(tail[1]);
    tail.erase(tail.begin(), tail.begin() + 2);
  }
  if (tail == Segments{"trace", "setting"} && version.empty()) {
    respond(AnswerTracing(service_, model, request));
    return;
  }
  if (tail.size() > 1) {
    respond(NotFound());
    return;
  }
  const std::string_view what = tail.empty() ? std::string_view() : tail[0];
  if (what == "infer") {
    if (request.method != "POST") {
      respond(WrongMethod("POST"));
    } else {
      Infer(model, version, std::move(request), std::move(respond));
    }
  } else if (what == "generate" || what == "generate_stream") {
    respond(ErrorResponse(501, "generate is not served: there is no model that makes text"));
  } else if (what.empty() || what == "ready" || what == "config" || what == "stats") {
    const bool get = request.method == "GET" || request.method == "HEAD";
    respond(get ? AnswerModel(model, version, what) : WrongMethod("GET"));
  } else {
    respond(NotFound());
  }
}

HttpResponse OipApi::AnswerModel(const std::string& model, const std::string& version,
                                 std::string_view what) const {
  if (what == "ready") {
    const absl::StatusOr<bool> ready = service_.ModelReady(model, version);
    // The protocol has one code for every way of not being ready.
    if (!ready.ok()) return ErrorResponse(400, ready.status().message());
    return Health(*ready);
  }
  if (what == "config") {
    const auto config = service_.Config(model, version);
    return config.ok() ? JsonResponse(200, ProtoToJson(**config)) : StatusResponse(config.status(), 501);
  }
  if (what == "stats") {
    const auto statistics = service_.Statistics(model, version);
    return statistics.ok() ? JsonResponse(200, StatisticsJson(*statistics))
                           : StatusResponse(statistics.status(), 501);
  }
  const auto metadata = service_.Metadata(model, version);
  return metadata.ok() ? JsonResponse(200, ModelJson(*metadata)) : StatusResponse(metadata.status(), 501);
}

absl::StatusOr<OipRequest> OipApi::ReadInfer(const std::string& model, const std::string& version,
                                             HttpRequest& request) const {
  const std::optional<ContentCoding> coding = ContentCodingFromName(request.header("content-encoding"));
  if (!coding) {
    return absl::UnimplementedError(absl::StrCat(
        "Content-Encoding '", LogSafe(request.header("content-encoding")), "' is not gzip or deflate"));
  }
  std::string body = std::move(request.body);
  if (*coding != ContentCoding::kIdentity) {
    WAYSTONE_ASSIGN_OR_RETURN(body, Inflate(body, *coding, options_.max_body_bytes));
  }
  WAYSTONE_ASSIGN_OR_RETURN(const std::optional<uint64_t> json_bytes,
                            ReadJsonLength(request.header("inference-header-content-length"), body.size()));
  if (json_bytes == uint64_t{0}) return ReadRaw(model, version, std::move(body));
  return ReadOipRequest(std::move(body), json_bytes, options_.limits);
}

absl::StatusOr<OipRequest> OipApi::ReadRaw(const std::string& model, const std::string& version,
                                           std::string body) const {
  WAYSTONE_ASSIGN_OR_RETURN(const ModelMetadata metadata, service_.Metadata(model, version));
  return RawOipRequest(metadata, std::move(body));
}

void OipApi::Infer(const std::string& model, const std::string& version, HttpRequest request,
                   HttpResponder respond) const {
  absl::StatusOr<OipRequest> read = ReadInfer(model, version, request);
  const absl::StatusOr<Deadline> deadline = RequestDeadline(request);
  const absl::Status status = read.ok() ? deadline.status() : read.status();
  if (!status.ok()) {
    HttpResponse refusal = StatusResponse(status, 501);
    if (absl::IsUnimplemented(status)) refusal.headers.emplace_back("Accept-Encoding", "gzip, deflate");
    respond(std::move(refusal));
    return;
  }
  InferRequest infer = std::move(read->infer);
  infer.model = model;
  infer.version = version;
  infer.arrived = request.arrived;
  infer.deadline = *deadline;
  infer.stream = RequestStream(request);
  infer.cancelled = std::move(request.client_gone);
  const ContentCoding coding = ChooseCoding(request.header("accept-encoding"));
  // std::function needs a copyable callable, so the responder is shared by its (only) copies.
  auto shared = std::make_shared<HttpResponder>(std::move(respond));
  service_.Infer(std::move(infer), [shared, coding, binary = std::move(read->binary_outputs),
                                    otherwise =
                                        read->binary_by_default](absl::StatusOr<InferResponse> response) {
    if (!response.ok()) {
      (*shared)(StatusResponse(response.status(), 501));
      return;
    }
    const std::vector<bool>& wanted =
        binary.empty() ? std::vector<bool>(response->outputs.size(), otherwise) : binary;
    absl::StatusOr<HttpResponse> written = WriteOipResponse(*response, wanted);
    (*shared)(written.ok() ? Encoded(*std::move(written), coding) : StatusResponse(written.status(), 501));
  });
}

void OipApi::HandleRepository(const Segments& rest, const HttpRequest& request, HttpResponder respond) const {
  if (request.method != "POST") {
    respond(WrongMethod("POST"));
  } else if (rest == Segments{"index"}) {
    const absl::StatusOr<bool> ready_only = ReadReadyOnly(request.body);
    respond(ready_only.ok() ? JsonResponse(200, IndexJson(service_.Index(*ready_only)))
                            : StatusResponse(ready_only.status(), 501));
  } else if (rest.size() == 3 && rest[0] == "models" && (rest[2] == "load" || rest[2] == "unload")) {
    auto shared = std::make_shared<HttpResponder>(std::move(respond));
    const auto answer = [shared](const absl::Status& status) {
      (*shared)(status.ok() ? JsonResponse(200, "") : StatusResponse(status, 501));
    };
    const bool load = rest[2] == "load";
    absl::StatusOr<RepositoryParameters> parameters = ReadRepositoryParameters(request.body, load);
    if (!parameters.ok()) {
      answer(parameters.status());
    } else if (load) {
      service_.Load(std::string(rest[1]), *std::move(parameters), answer);
    } else {
      const auto dependents = parameters->find("unload_dependents");
      service_.Unload(std::string(rest[1]),
                      dependents != parameters->end() && std::get<bool>(dependents->second), answer);
    }
  } else if (rest.size() == 4 && rest[1] == "models" && (rest[3] == "load" || rest[3] == "unload")) {
    respond(ErrorResponse(501, "named repositories are not served"));
  } else {
    respond(rest.size() == 2 && rest[1] == "index" ? JsonResponse(200, IndexJson(service_.Index(false)))
                                                   : NotFound());
  }
}

HttpResponse OipApi::AnswerSharedMemory(const Segments& rest, const HttpRequest& request) const {
  // [region/R]/status, region/R/register, [region/R]/unregister
  const bool named = rest.size() == 3 && rest[0] == "region";
  if (!named && rest.size() != 1) return NotFound();
  const std::string name(named ? rest[1] : std::string_view());
  const std::string_view what = rest.back();
  if (what == "status") {
    if (request.method != "GET") return WrongMethod("GET");
    const auto regions = service_.SharedMemory(name);
    return regions.ok() ? JsonResponse(200, SharedMemoryJson(*regions))
                        : StatusResponse(regions.status(), 501);
  }
  absl::Status status;
  if (what == "register" && named) {
    if (request.method != "POST") return WrongMethod("POST");
    const absl::StatusOr<SharedMemoryRegion> region = ReadSharedMemoryRegion(name, request.body);
    status = region.ok() ? service_.RegisterSharedMemory(*region) : region.status();
  } else if (what == "unregister") {
    if (request.method != "POST") return WrongMethod("POST");
    status = service_.UnregisterSharedMemory(name);
  } else {
    return NotFound();
  }
  return status.ok() ? JsonResponse(200, "") : StatusResponse(status, 501);
}

}  // namespace waystone
