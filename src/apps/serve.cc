// SPDX-License-Identifier: Apache-2.0
//
// waystone serve: the HTTP server. Wiring, signals and the ordered stop: readiness off, listeners closed,
// accepted work finished, workers joined.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <pthread.h>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "apps/command.h"
#include "base/cpu.h"
#include "base/install_prefix.h"
#include "base/log.h"
#include "base/status.h"
#include "grpc/grpc_server.h"
#include "http/oip_api.h"
#include "http/picture_api.h"
#include "http/web_page.h"
#include "metrics/registry.h"
#include "net/http_server.h"
#include "serving/picture_service.h"
#include "serving/serving_core.h"
#include "vision/draw/draw.h"

namespace waystone {
namespace {

struct ServeFlags {
  ModelFlags models;
  std::vector<std::string> names;
  std::string default_model;
  std::string web;
  std::string host = "127.0.0.1";
  std::string admin_host = "127.0.0.1";
  uint16_t port = 8000;
  uint16_t grpc_port = 8001;
  uint16_t admin_port = 8002;
  int workers = 0;
  bool no_wide = false;
  size_t queue = 64;
  size_t queue_mb = 256;
  int timeout_ms = 10'000;
  int drain_seconds = 30;
  size_t max_picture_mb = 32;
  size_t max_body_mb = 64;
  int max_megapixels = 64;
  int max_connections = 1024;
  int max_connections_per_client = 256;
};

// The entries to serve: those named, or every one that is ready.
absl::StatusOr<std::vector<CatalogEntry>> Choose(const ModelCatalog& catalog, const ServeFlags& flags) {
  std::vector<CatalogEntry> chosen;
  for (const std::string& name : flags.names) {
    WAYSTONE_ASSIGN_OR_RETURN(CatalogEntry entry, catalog.Find(name));
    WAYSTONE_RETURN_IF_ERROR(entry.status);
    chosen.push_back(std::move(entry));
  }
  if (!flags.names.empty()) return chosen;
  for (const CatalogEntry& entry : catalog.entries()) {
    if (entry.spec.task == Task::kMatch) continue;  // takes two pictures: waystone match
    if (entry.status.ok()) {
      chosen.push_back(entry);
    } else {
      LogWarning(absl::StrCat("not serving ", entry.name, ": ", entry.status.message()));
    }
  }
  if (chosen.empty()) {
    return absl::NotFoundError("there is no model to serve; see: waystone models list");
  }
  return chosen;
}

absl::StatusOr<std::shared_ptr<const PictureModel>> LoadOne(const ModelCatalog& catalog,
                                                            const CatalogEntry& entry,
                                                            const EngineRegistry& engines,
                                                            PictureModelOptions options,
                                                            MetricRegistry& metrics, const Clock& clock) {
  options.on_fallback = [&metrics, &entry](const std::string& from, const std::string& to) {
    metrics
        .GetCounter("waystone_device_fallback_total", "Loads that took a configured fallback device.",
                    {{"model", entry.name}, {"from", from}, {"to", to}})
        .Increment();
  };
  WAYSTONE_ASSIGN_OR_RETURN(std::unique_ptr<PictureModel> model,
                            PictureModel::Load(catalog, entry, engines, options, clock));
  return std::shared_ptr<const PictureModel>(std::move(model));
}

// Loads what is to be served; the first model's name is answered.
absl::StatusOr<std::string> LoadAll(const ServeFlags& flags, const EngineRegistry& engines, ServingCore& core,
                                    int workers, MetricRegistry& metrics, const Clock& clock) {
  WAYSTONE_ASSIGN_OR_RETURN(const ModelCatalog catalog, OpenCatalog(flags.models));
  WAYSTONE_ASSIGN_OR_RETURN(const std::vector<CatalogEntry> entries, Choose(catalog, flags));
  for (const CatalogEntry& entry : entries) {
    PictureModelOptions options = flags.models.options;
    options.threads = 1;
    options.instances = workers;
    WAYSTONE_ASSIGN_OR_RETURN(std::shared_ptr<const PictureModel> model,
                              LoadOne(catalog, entry, engines, options, metrics, clock));
    LogInfo(absl::StrCat("serving ", model->name(), " on ", model->engine_name(), " (",
                         model->model().device(), ", ", model->model().precision(), ")"));
    std::shared_ptr<const PictureModel> wide;
    if (workers > 1 && !flags.no_wide && model->model().device() == "cpu") {
      options.threads = workers;
      options.instances = 1;
      WAYSTONE_ASSIGN_OR_RETURN(wide, LoadOne(catalog, entry, engines, options, metrics, clock));
    }
    WAYSTONE_RETURN_IF_ERROR(core.Add(ServePictures(std::move(model), std::move(wide), metrics)));
  }
  return entries.front().name;
}

// The web page: of the folder that was asked for, which must hold one, or of the one that the program was
// installed with, if it was.
absl::StatusOr<std::optional<WebPage>> OpenPage(const ServeFlags& flags) {
  const std::string folder = flags.web.empty() ? InstallPrefix() + "/share/waystone/web" : flags.web;
  std::error_code ignored;
  if (flags.web.empty() && !std::filesystem::exists(folder, ignored)) {
    LogInfo(absl::StrCat("no web page: there is no ", folder));
    return std::nullopt;
  }
  absl::StatusOr<WebPage> page = WebPage::Load(folder);
  if (!page.ok()) return Annotate(page.status(), "the web page");
  return *std::move(page);
}

// Blocks SIGTERM and SIGINT in every thread made after this, so that the main thread can wait for them.
sigset_t BlockStopSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void AddServerMetrics(MetricRegistry& metrics, const HttpServer& server) {
  metrics.AddCallbackGauge("waystone_http_connections_open", "Open connections of the public listener.",
                           [&server] { return static_cast<double>(server.stats().connections_open); });
  metrics.AddCallbackGauge("waystone_http_connections_refused",
                           "Connections refused over a connection limit.",
                           [&server] { return static_cast<double>(server.stats().connections_refused); });
  metrics.AddCallbackGauge("waystone_http_bad_requests",
                           "Requests refused as malformed, too large or too slow.",
                           [&server] { return static_cast<double>(server.stats().bad_requests); });
}

std::string Address(const std::string& host, uint16_t port) {
  return absl::StrContains(host, ':') ? absl::StrCat("[", host, "]:", port) : absl::StrCat(host, ":", port);
}

ServingOptions CoreOptions(const ServeFlags& flags) {
  ServingOptions options;
  options.server_version = WAYSTONE_VERSION;
  options.workers = flags.workers > 0 ? flags.workers : AvailableCpus();
  options.queue.max_jobs = flags.queue;
  options.queue.max_bytes = flags.queue_mb << 20;
  options.default_timeout = std::chrono::milliseconds(flags.timeout_ms);
  return options;
}

PictureLimits Limits(const ServeFlags& flags) {
  PictureLimits limits;
  limits.max_encoded_bytes = flags.max_picture_mb << 20;
  limits.max_pixels = int64_t{flags.max_megapixels} << 20;
  limits.max_scaled_source_pixels = 2 * limits.max_pixels;
  return limits;
}

absl::Status Serve(ServeFlags& flags) {
  const sigset_t stop_signals = BlockStopSignals();
  const SteadyClock clock;
  MetricRegistry metrics;
  metrics
      .GetGauge("waystone_build_info", "Always 1; the version is a label.", {{"version", WAYSTONE_VERSION}})
      .Set(1);
  PictureApiOptions api_options;
  WAYSTONE_ASSIGN_OR_RETURN(api_options.page, OpenPage(flags));
  const EngineRegistry engines = OpenEngines(flags.models);  // outlives the models
  const ServingOptions core_options = CoreOptions(flags);
  ServingCore core(core_options, metrics, clock);
  WAYSTONE_ASSIGN_OR_RETURN(const std::string first,
                            LoadAll(flags, engines, core, core_options.workers, metrics, clock));
  api_options.version = WAYSTONE_VERSION;
  api_options.default_model = flags.default_model.empty() ? first : flags.default_model;
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<Annotator> annotator, Annotator::Create());
  PictureService service(core, Limits(flags));
  if (service.models().find(api_options.default_model) == service.models().end()) {
    return absl::NotFoundError(
        absl::StrCat("--default-model ", api_options.default_model, " is not being served"));
  }
  const PictureApi api(service, *annotator, metrics, api_options);

  HttpServerOptions options;
  options.address = flags.host;
  options.port = flags.port;
  options.max_connections = flags.max_connections;
  options.max_connections_per_client = flags.max_connections_per_client;
  // A picture in base64 with its JSON around it must fit where the bare picture does.
  options.max_body_bytes = std::max<uint64_t>(
      uint64_t{service.limits().max_encoded_bytes} * 4 / 3 + 64 * 1024, uint64_t{flags.max_body_mb} << 20);
  OipOptions oip_options;
  oip_options.max_body_bytes = flags.max_body_mb << 20;
  oip_options.limits.max_tensor_bytes = flags.max_body_mb << 20;
  const OipApi oip(core, oip_options);
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<HttpServer> server,
                            HttpServer::Create(options, [&](HttpRequest request, HttpResponder respond) {
                              if (OipApi::Serves(request.path)) {
                                oip.Handle(std::move(request), std::move(respond));
                              } else {
                                api.Handle(std::move(request), std::move(respond));
                              }
                            }));
  HttpServerOptions admin_options;
  admin_options.address = flags.admin_host;
  admin_options.port = flags.admin_port;
  admin_options.max_connections = 64;
  admin_options.max_body_bytes = 64 * 1024;
  WAYSTONE_ASSIGN_OR_RETURN(
      const std::unique_ptr<HttpServer> admin,
      HttpServer::Create(admin_options, [&api](HttpRequest request, HttpResponder respond) {
        api.HandleAdmin(std::move(request), std::move(respond));
      }));
  GrpcServerOptions grpc_options;
  grpc_options.address = flags.host;
  grpc_options.port = flags.grpc_port;
  grpc_options.max_message_bytes = uint64_t{flags.max_body_mb} << 20;
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<GrpcServer> grpc, GrpcServer::Create(grpc_options, core));
  AddServerMetrics(metrics, *server);
  server->Start();
  grpc->Start();
  admin->Start();
  LogInfo(absl::StrCat("listening on http://", Address(flags.host, server->port()), ", gRPC on ",
                       Address(flags.host, grpc->port()), ", admin and metrics on http://",
                       Address(flags.admin_host, admin->port())));
  std::printf("ready: http://%s\ngrpc: %s\n", Address(flags.host, server->port()).c_str(),
              Address(flags.host, grpc->port()).c_str());
  std::fflush(stdout);

  int signal = 0;
  sigwait(&stop_signals, &signal);
  LogInfo(absl::StrCat("stopping on signal ", signal, ": finishing accepted work for up to ",
                       flags.drain_seconds, " s"));
  const auto drain = std::chrono::seconds(flags.drain_seconds);
  const TimePoint begin = clock.Now();
  // The service first refuses new work (readiness turns off with it), then the listeners close.
  const bool finished = core.Stop(drain);
  const Duration left = Deadline::After(begin, drain).Left(clock.Now());
  const bool called = grpc->Stop(std::max<Duration>(left, std::chrono::seconds(1)));
  const bool answered = server->Stop(std::max<Duration>(left, std::chrono::seconds(1))) && called;
  admin->Stop(std::chrono::seconds(1));
  LogInfo(finished && answered ? "stopped; all accepted work was answered"
                               : "stopped; some accepted work was cut off");
  return absl::OkStatus();
}

}  // namespace

void AddServe(CLI::App& app, RunCommand& run) {
  CLI::App* command = app.add_subcommand("serve", "Answer pictures over HTTP");
  auto flags = std::make_shared<ServeFlags>();
  command
      ->add_option("--model", flags->names,
                   "Model to serve; may be given several times (default: all that are ready)")
      ->type_name("NAME")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command->add_option("--default-model", flags->default_model, "Model of POST /predict (default: the first)")
      ->type_name("NAME");
  AddModelFlags(*command, flags->models);
  command
      ->add_option(
          "--web", flags->web,
          "Folder of the web page (default: share/waystone/web beside the program's folder, if there)")
      ->type_name("DIR");
  command->add_option("--host", flags->host, "Address to listen on")->type_name("IP")->capture_default_str();
  command->add_option("--port", flags->port, "HTTP port; 0 takes a free one")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--admin-host", flags->admin_host, "Address of the admin listener")
      ->type_name("IP")
      ->capture_default_str();
  command->add_option("--grpc-port", flags->grpc_port, "gRPC port; 0 takes a free one");
  command->add_option("--admin-port", flags->admin_port, "Port for health and metrics; 0 takes a free one")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--no-wide", flags->no_wide,
                    "Never run a lone request on all CPUs; saves a second copy of each network");
  command->add_option("--workers", flags->workers, "Worker threads (default: the CPUs this process may use)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command->add_option("--queue", flags->queue, "Requests that may wait; more are refused with 429")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--queue-mb", flags->queue_mb, "MiB of pictures that may wait")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--timeout-ms", flags->timeout_ms, "Deadline of requests that state none")
      ->type_name("MS")
      ->check(CLI::Range(1, 3'600'000))
      ->capture_default_str();
  command->add_option("--drain-seconds", flags->drain_seconds, "Time for accepted work after SIGTERM")
      ->type_name("S")
      ->check(CLI::Range(0, 3600))
      ->capture_default_str();
  command->add_option("--max-picture-mb", flags->max_picture_mb, "Largest encoded picture, MiB")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command
      ->add_option("--max-body-mb", flags->max_body_mb, "Largest tensor request, MiB, also once decompressed")
      ->type_name("N")
      ->check(CLI::Range(1, 2047));
  command->add_option("--max-megapixels", flags->max_megapixels, "Largest decoded picture, 2^20 pixels")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--max-connections", flags->max_connections, "Open connections in all")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command
      ->add_option("--max-connections-per-client", flags->max_connections_per_client,
                   "Open connections of one address")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->footer(
      "Example:\n  waystone serve --model ssdlite-mobilenet-v2-coco\n"
      "  curl --data-binary @photo.jpg http://127.0.0.1:8000/v1/predict/ssdlite-mobilenet-v2-coco");
  command->callback([&run, flags] {
    run = [flags] {
      const absl::Status status = Serve(*flags);
      return status.ok() ? 0 : Fail(status);
    };
  });
}

}  // namespace waystone
