// SPDX-License-Identifier: Apache-2.0
//
// The picture API over HTTP: decodes the envelope, hands the picture to serving, encodes the answer.
// Documented for users in docs/http-api.md. Handlers run on io threads and never block; answers are encoded
// on the worker that made them. Thread-safe. Everything it refers to must outlive the servers that call it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "http/router.h"
#include "http/web_page.h"
#include "metrics/registry.h"
#include "serving/picture_service.h"
#include "vision/draw/draw.h"

namespace waystone {

struct PictureApiOptions {
  std::string default_model;  // of POST /predict; empty: there is none
  std::string version;
  std::optional<WebPage> page;  // for browsers; programs get JSON at "/" all the same
};

class PictureApi {
 public:
  PictureApi(PictureService& service, const Annotator& annotator, MetricRegistry& metrics,
             PictureApiOptions options);

  // For the public listener: everything.
  void Handle(HttpRequest request, HttpResponder respond) const {
    public_routes_.Handle(std::move(request), std::move(respond));
  }
  // For the admin listener: health and metrics.
  void HandleAdmin(HttpRequest request, HttpResponder respond) const {
    admin_routes_.Handle(std::move(request), std::move(respond));
  }

 private:
  void AddOperations(Router& router);
  void AddPage();
  void Predict(const std::string& model, HttpRequest request, HttpResponder respond) const;
  void PredictJson(HttpRequest request, HttpResponder respond) const;
  std::string ModelJson(const PictureModel& model) const;
  HttpResponse ModelList() const;
  HttpResponse Index(const HttpRequest& request) const;

  PictureService& service_;
  const Annotator& annotator_;
  MetricRegistry& metrics_;
  const PictureApiOptions options_;
  Router public_routes_;
  Router admin_routes_;
};

}  // namespace waystone
