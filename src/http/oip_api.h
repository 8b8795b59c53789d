// SPDX-License-Identifier: Apache-2.0
//
// The Open Inference Protocol v2 over REST, with Triton's extensions: from paths and bodies to calls of the
// service, and back. Documented for users in docs/open-inference-protocol.md. Handlers run on io threads and
// do not block; the answer of an inference is encoded on the worker that made it. Thread-safe. The service
// outlives it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/compression.h"
#include "http/oip_request.h"
#include "net/http_server.h"
#include "serving/inference_service.h"

namespace waystone {

struct OipOptions {
  OipLimits limits;
  size_t max_body_bytes = size_t{64} << 20;  // after decompression
};

class OipApi {
 public:
  OipApi(InferenceService& service, OipOptions options) : service_(service), options_(options) {}

  // Whether the path belongs to this API.
  static bool Serves(std::string_view path);
  void Handle(HttpRequest request, HttpResponder respond) const;

 private:
  using Segments = std::vector<std::string_view>;
  // Each answers one group of paths, `rest` being what follows its head, or 404 or 405.
  void HandleModel(const Segments& rest, HttpRequest request, HttpResponder respond) const;
  void Infer(const std::string& model, const std::string& version, HttpRequest request,
             HttpResponder respond) const;
  HttpResponse AnswerHealth(const Segments& rest) const;
  HttpResponse AnswerServer() const;
  HttpResponse AnswerModel(const std::string& model, const std::string& version, std::string_view what) const;
  void HandleRepository(const Segments& rest, const HttpRequest& request, HttpResponder respond) const;
  HttpResponse AnswerSharedMemory(const Segments& rest, const HttpRequest& request) const;

  absl::StatusOr<OipRequest> ReadInfer(const std::string& model, const std::string& version,
                                       HttpRequest& request) const;
  absl::StatusOr<OipRequest> ReadRaw(const std::string& model, const std::string& version,
                                     std::string body) const;

  InferenceService& service_;
  const OipOptions options_;
};

}  // namespace waystone
