// SPDX-License-Identifier: Apache-2.0
#include "net/http_server.h"

#include <optional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include <boost/asio/executor_work_guard.hpp>

#include "base/check.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/status.h"
#include "net/http_connection.h"
#include "net/http_listener.h"
#include "net/http_response.h"
#include "net/server_context.h"

namespace waystone {
namespace {

// What closing every connection may take at most; it needs no client's help.
constexpr Duration kCloseTime = std::chrono::seconds(10);

absl::Status CheckOptions(const HttpServerOptions& options) {
  const auto at_least = [](const char* name, int64_t value, int64_t least) {
    if (value >= least) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("HTTP server: ", name, " is ", value, ", must be at least ", least));
  };
  WAYSTONE_RETURN_IF_ERROR(at_least("io_threads", options.io_threads, 1));
  WAYSTONE_RETURN_IF_ERROR(at_least("max_header_bytes", static_cast<int64_t>(options.max_header_bytes), 64));
  WAYSTONE_RETURN_IF_ERROR(at_least("max_connections", options.max_connections, 1));
  WAYSTONE_RETURN_IF_ERROR(at_least("max_connections_per_client", options.max_connections_per_client, 1));
  WAYSTONE_RETURN_IF_ERROR(at_least("max_pipelined", options.max_pipelined, 1));
  if (options.max_header_bytes > (size_t{16} << 20)) {
    return absl::InvalidArgumentError(absl::StrCat("HTTP server: max_header_bytes is ",
                                                   options.max_header_bytes, ", must be at most 16 MiB"));
  }
  return absl::OkStatus();
}

class AsioHttpServer final : public HttpServer {
 public:
  AsioHttpServer(std::shared_ptr<ServerContext> context, std::shared_ptr<HttpListener> listener)
      : context_(std::move(context)), listener_(std::move(listener)) {}
  ~AsioHttpServer() override { Stop(Duration::zero()); }

  void Start() override {
    MutexLock lock(mutex_);
    if (started_ || stopped_) return;
    started_ = true;
    work_.emplace(context_->io.get_executor());
    listener_->Start();
    for (int i = 0; i < context_->options.io_threads; ++i) threads_.emplace_back([this] { Run(); });
  }

  uint16_t port() const override { return port_; }

  bool Stop(Duration drain) override {
    MutexLock lock(mutex_);
    if (!stopped_) {
      stopped_ = true;
      if (started_) Drain(drain);
      listener_.reset();
    }
    return context_->cut_off.load() == 0;
  }

  HttpServerStats stats() const override {
    return {.connections_accepted = context_->accepted.load(),
            .connections_refused = context_->refused.load(),
            .accept_errors = context_->accept_errors.load(),
            .connections_open = context_->connections.open(),
            .requests = context_->requests.load(),
            .bad_requests = context_->bad_requests.load()};
  }

 private:
  // An exception here is out of memory in the server's own code: the operation's connection is closed as it
  // is dropped.
  void Run() {
    for (;;) {
      try {
        context_->io.run();
        return;
      } catch (const std::exception& error) {
        LogError(absl::StrCat("an io thread caught: ", LogSafe(error.what())));
      }
    }
  }

  void Drain(Duration drain) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    context_->draining.store(true);
    Notification closed;
    listener_->Stop([&closed] { closed.Notify(); });
    closed.WaitForNotification();
    for (const auto& connection : context_->connections.All()) connection->BeginDrain();
    if (!context_->connections.AwaitEmpty(drain)) {
      for (const auto& connection : context_->connections.All()) connection->ForceClose();
      if (!context_->connections.AwaitEmpty(kCloseTime)) {
        LogError("HTTP server: a handler blocks an io thread, its connections could not be closed in time");
      }
    }
    work_.reset();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  const std::shared_ptr<ServerContext> context_;
  Mutex mutex_;
  std::shared_ptr<HttpListener> listener_ ABSL_GUARDED_BY(mutex_);
  const uint16_t port_ = listener_->port();
  bool started_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_
      ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

const std::string& HttpRequest::header(const std::string& name) const {
  static const std::string kNone;
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return kNone;
}

HttpResponder& HttpResponder::operator=(HttpResponder&& other) noexcept {
  if (this != &other) {
    HttpResponder dropped(std::exchange(send_, std::exchange(other.send_, nullptr)));
  }
  return *this;
}

HttpResponder::~HttpResponder() {
  if (send_ == nullptr) return;
  try {
    (*this)(ServerErrorResponse(500, "internal error: the request was dropped without an answer"));
  } catch (const std::exception& error) {
    LogError(absl::StrCat("a dropped request could not be answered: ", LogSafe(error.what())));
  }
}

void HttpResponder::operator()(HttpResponse response) {
  const Send send = std::exchange(send_, nullptr);
  if (send == nullptr) {
    LogError("an HTTP request was answered twice; the second answer is dropped");
    return;
  }
  send(std::move(response));
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Create(HttpServerOptions options,
                                                               HttpHandler handler) {
  WAYSTONE_RETURN_IF_ERROR(CheckOptions(options));
  WAYSTONE_CHECK(handler != nullptr, "a server without a handler answers nothing");
  auto context = std::make_shared<ServerContext>(std::move(options), std::move(handler));
  WAYSTONE_ASSIGN_OR_RETURN(std::shared_ptr<HttpListener> listener, HttpListener::Open(context));
  return std::make_unique<AsioHttpServer>(std::move(context), std::move(listener));
}

}  // namespace waystone
