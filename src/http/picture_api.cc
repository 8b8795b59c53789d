// SPDX-License-Identifier: Apache-2.0
#include "http/picture_api.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "http/accept.h"
#include "http/json_response.h"
#include "http/multipart.h"
#include "http/predict_body.h"
#include "http/predict_json.h"
#include "http/request_headers.h"
#include "pipeline/prediction_json.h"
#include "types/camera.h"
#include "types/refusal.h"
#include "vision/encode/encode.h"

namespace waystone {
namespace {

std::string Dump(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The pinhole camera the client states; nothing when it states none.
absl::StatusOr<std::optional<CameraIntrinsics>> RequestCamera(const HttpRequest& request) {
  const std::string& text = request.header("waystone-camera");
  if (text.empty()) return std::nullopt;
  absl::StatusOr<CameraIntrinsics> camera = ParseCamera(text);
  if (camera.ok()) return *camera;
  return absl::InvalidArgumentError(absl::StrCat("Waystone-Camera: ", camera.status().message()));
}

// The picture of a body and what to call it: the body itself, or the one file of a form.
struct BodyPicture {
  std::string bytes;
  std::string source = "body";
};

absl::StatusOr<BodyPicture> TakePicture(HttpRequest& request) {
  const std::string& type = request.header("content-type");
  if (!absl::StartsWithIgnoreCase(type, "multipart/")) return BodyPicture{std::move(request.body), "body"};
  absl::StatusOr<std::vector<MultipartPart>> parts = ParseMultipart(type, request.body);
  if (!parts.ok()) return parts.status();
  const MultipartPart* chosen = nullptr;
  for (const MultipartPart& part : *parts) {
    const bool is_file = !part.filename.empty() || absl::StartsWithIgnoreCase(part.content_type, "image/");
    if (!is_file && parts->size() > 1) continue;
    if (chosen != nullptr) {
      return absl::InvalidArgumentError("the form holds more than one file; send one picture a request");
    }
    chosen = &part;
  }
  if (chosen == nullptr)
    return absl::InvalidArgumentError("the form holds no file; send the picture as one of its parts");
  return BodyPicture{std::string(chosen->body), chosen->filename.empty() ? "body" : chosen->filename};
}

HttpResponse PictureResponse(const Annotator& annotator, PictureAnswer& answer, const AnswerNames& names,
                             AnswerForm form) {
  annotator.Draw(answer.prediction, names, answer.image);
  const EncodedFormat format = form == AnswerForm::kJpeg  ? EncodedFormat::kJpeg
                               : form == AnswerForm::kPng ? EncodedFormat::kPng
                                                          : EncodedFormat::kWebp;
  absl::StatusOr<std::string> encoded = EncodePicture(answer.image.view(), format);
  if (!encoded.ok()) return StatusResponse(encoded.status());
  HttpResponse response;
  response.content_type = ContentType(form);
  response.body = *std::move(encoded);
  response.headers.emplace_back("Vary", "Accept");
  return response;
}

}  // namespace

PictureApi::PictureApi(PictureService& service, const Annotator& annotator, MetricRegistry& metrics,
                       PictureApiOptions options)
    : service_(service), annotator_(annotator), metrics_(metrics), options_(std::move(options)) {
  AddOperations(public_routes_);
  AddOperations(admin_routes_);
  AddPage();
  public_routes_.Add(
      "GET", "/v1/models",
      [this](const std::string&, const HttpRequest&, HttpResponder respond) { respond(ModelList()); });
  public_routes_.Add(
      "GET", "/v1/models/{name}", [this](const std::string& name, const HttpRequest&, HttpResponder respond) {
        const auto found = service_.models().find(name);
        respond(found == service_.models().end()
                    ? ErrorResponse(404, absl::StrCat("no model '", LogSafe(name), "' is being served"))
                    : JsonResponse(200, ModelJson(*found->second)));
      });
  public_routes_.Add("POST", "/v1/predict/{name}",
                     [this](const std::string& name, HttpRequest request, HttpResponder respond) {
                       Predict(name, std::move(request), std::move(respond));
                     });
  public_routes_.Add("POST", "/predict",
                     [this](const std::string&, HttpRequest request, HttpResponder respond) {
                       PredictJson(std::move(request), std::move(respond));
                     });
}

void PictureApi::AddOperations(Router& router) {
  router.Add("GET", "/healthz", [](const std::string&, const HttpRequest&, HttpResponder respond) {
    respond(JsonResponse(200, R"({"status":"alive"})"));
  });
  router.Add("GET", "/readyz", [this](const std::string&, const HttpRequest&, HttpResponder respond) {
    respond(service_.draining() ? ErrorResponse(503, "the server is stopping", Name(RefusalReason::kDraining))
                                : JsonResponse(200, R"({"status":"ready"})"));
  });
  router.Add("GET", "/metrics", [this](const std::string&, const HttpRequest&, HttpResponder respond) {
    HttpResponse response;
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = metrics_.Text();
    respond(std::move(response));
  });
}

void PictureApi::AddPage() {
  public_routes_.Add("GET", "/",
                     [this](const std::string&, const HttpRequest& request, HttpResponder respond) {
                       respond(Index(request));
                     });
  if (!options_.page) return;
  for (const std::string& path : options_.page->paths()) {
    if (path == "/") continue;
    public_routes_.Add("GET", path,
                       [this](const std::string&, const HttpRequest& request, HttpResponder respond) {
                         respond(options_.page->Answer(request));
                       });
  }
}

void PictureApi::Predict(const std::string& model, HttpRequest request, HttpResponder respond) const {
  const std::optional<AnswerForm> form = ChooseAnswerForm(request.header("accept"));
  if (!form) {
    respond(ErrorResponse(406, "answers are application/json, image/jpeg, image/png or image/webp"));
    return;
  }
  absl::StatusOr<Deadline> deadline = RequestDeadline(request);
  if (!deadline.ok()) {
    respond(StatusResponse(deadline.status()));
    return;
  }
  absl::StatusOr<std::optional<CameraIntrinsics>> camera = RequestCamera(request);
  if (!camera.ok()) {
    respond(StatusResponse(camera.status()));
    return;
  }
  absl::StatusOr<BodyPicture> picture = TakePicture(request);
  if (!picture.ok()) {
    respond(StatusResponse(picture.status()));
    return;
  }
  PictureRequest work;
  work.model = model;
  work.source = std::move(picture->source);
  work.input = std::move(picture->bytes);
  work.want_image = *form != AnswerForm::kJson;
  work.deadline = *deadline;
  work.camera = *camera;
  work.stream = RequestStream(request);
  work.cancelled = std::move(request.client_gone);
  // std::function needs a copyable callable, so the responder is shared by its (only) copies.
  auto shared = std::make_shared<HttpResponder>(std::move(respond));
  const absl::Status submitted = service_.Submit(
      std::move(work), [this, model, form = *form, shared](absl::StatusOr<PictureResult> result) {
        if (!result.ok()) {
          (*shared)(StatusResponse(result.status()));
          return;
        }
        const AnswerNames& names = service_.models().at(model)->spec().names;
        if (form == AnswerForm::kJson) {
          HttpResponse response = JsonResponse(200, PredictionToJson(result->answer.prediction, names));
          response.headers.emplace_back("Vary", "Accept");
          (*shared)(std::move(response));
        } else {
          (*shared)(PictureResponse(annotator_, result->answer, names, form));
        }
      });
  if (!submitted.ok()) (*shared)(StatusResponse(submitted));
}

void PictureApi::PredictJson(HttpRequest request, HttpResponder respond) const {
  absl::StatusOr<Deadline> deadline = RequestDeadline(request);
  absl::StatusOr<PredictInput> input = ParsePredictBody(request.body);
  const absl::Status status = deadline.ok() ? input.status() : deadline.status();
  if (!status.ok()) {
    respond(StatusResponse(status));
    return;
  }
  PictureRequest work;
  work.model = options_.default_model;
  work.source = "input";
  work.deadline = *deadline;
  work.cancelled = std::move(request.client_gone);
  absl::Status filled = FillInput(*std::move(input), *service_.models().at(work.model), work);
  if (!filled.ok()) {
    respond(StatusResponse(filled));
    return;
  }
  auto shared = std::make_shared<HttpResponder>(std::move(respond));
  const absl::Status submitted =
      service_.Submit(std::move(work), [this, shared](absl::StatusOr<PictureResult> result) {
        if (!result.ok()) {
          (*shared)(StatusResponse(result.status()));
          return;
        }
        const AnswerNames& names = service_.models().at(options_.default_model)->spec().names;
        (*shared)(JsonResponse(200, PredictOutputJson(*result, names)));
      });
  if (!submitted.ok()) (*shared)(StatusResponse(submitted));
}

std::string PictureApi::ModelJson(const PictureModel& model) const {
  const ModelSpec& spec = model.spec();
  const auto tensors = [](const std::vector<TensorSignature>& signatures) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const TensorSignature& tensor : signatures) {
      list.push_back({{"name", tensor.name},
                      {"datatype", std::string(Name(tensor.type))},
                      {"shape", tensor.shape.dims()}});
    }
    return list;
  };
  return Dump({{"name", spec.name},
               {"task", Name(spec.task)},
               {"description", spec.description},
               {"licence", spec.licence},
               {"engine", model.engine_name()},
               {"device", model.model().device()},
               {"precision", model.model().precision()},
               {"labels", spec.names.labels},
               {"points", spec.names.point_names},
               {"edges", spec.names.edges},
               {"inputs", tensors(model.model().signature().inputs)},
               {"outputs", tensors(model.model().signature().outputs)}});
}

HttpResponse PictureApi::ModelList() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [name, model] : service_.models()) {
    list.push_back({{"name", name},
                    {"task", Name(model->spec().task)},
                    {"engine", model->engine_name()},
                    {"precision", model->model().precision()},
                    {"default", name == options_.default_model}});
  }
  return JsonResponse(200, Dump({{"models", list}}));
}

HttpResponse PictureApi::Index(const HttpRequest& request) const {
  const bool with_page = options_.page && PrefersHtml(request.header("accept"));
  HttpResponse response =
      with_page
          ? options_.page->Answer(request)
          : JsonResponse(200, Dump({{"name", "waystone"},
                                    {"version", options_.version},
                                    {"paths",
                                     {"GET /v1/models", "GET /v1/models/{name}", "POST /v1/predict/{name}",
                                      "POST /predict", "GET /healthz", "GET /readyz", "GET /metrics"}}}));
  if (options_.page) response.headers.emplace_back("Vary", "Accept");
  return response;
}

}  // namespace waystone
